#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "ode/host/hosted_ode.hpp"
#include "tandem/extend/subsystem.hpp"
#include "tandem/model.hpp"

namespace tandem::kit {

/// The shared library of a model, used without an FMU.
class NativeLibrary {
public:
    /// Throws InputError if it is not the library of a model, or was built with other headers.
    explicit NativeLibrary(const std::filesystem::path& path);
    const ModelClass& model_class() const { return *class_; }

private:
    std::shared_ptr<void> handle_;
    const ModelClass* class_ = nullptr;
};

/// A model class as a subsystem: with a solver, or called step by step if it is a step function.
/// `model_class` must outlive it.
std::unique_ptr<Subsystem> make_native_subsystem(const ModelClass& model_class, std::string name,
                                                 const ode::HostedOdeOptions& options);

}  // namespace tandem::kit
