#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "fmi/sources/build_plan.hpp"

namespace tandem::fmi {

/// The compilers of this machine: those in the environment variables CC and CXX, else cc and c++.
/// They are started without a shell.
class Compiler {
public:
    /// `place` names the FMU in messages. Throws InputError if there is no compiler.
    Compiler(const BuildPlan& plan, std::string place);

    /// The first word of the command, for messages.
    const std::string& name() const { return c_.front(); }
    /// Everything but the sources that determines the outcome: versions and options.
    const std::string& identity() const { return identity_; }
    /// Makes the shared library. `folder` is the one of the FMU. Throws InputError with the first
    /// complaints of the compiler.
    void build(const BuildPlan& plan, const std::filesystem::path& folder,
               const std::filesystem::path& library) const;

private:
    using Command = std::vector<std::string>;

    std::string run(const Command& command, const std::filesystem::path& folder) const;
    Command object_command(const SourceSet& set, const std::filesystem::path& file) const;

    std::string place_;
    Command c_;
    Command cpp_;
    bool links_cpp_ = false;
    std::string identity_;
};

}  // namespace tandem::fmi
