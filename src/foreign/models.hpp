#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>

#include "foreign/system.hpp"
#include "tandem/value.hpp"

namespace tandem::foreign {

struct VariableFacts {
    ValueType type = ValueType::float64;
    bool is_output = false;  ///< or a calculated parameter
    bool is_input = false;
    std::string unit;
    std::string why_not_settable;  ///< "is a constant"; empty: a start value can be given
};

/// What has to be known of an FMU to read the system around it.
struct ModelFacts {
    std::string name;
    std::unordered_map<std::string, VariableFacts> variables;

    /// Null if there is none; a[2] is also an element of the array a.
    const VariableFacts* find(const std::string& variable) const;
    std::vector<std::string> names() const;
};

/// Reads the description of an FMU. Throws InputError.
using ModelReader = std::function<ModelFacts(const std::filesystem::path&)>;

/// The FMUs of a system; each is read once. Of one that cannot be read nothing is known, which is a
/// note.
class Models {
public:
    explicit Models(ModelReader reader) : reader_(std::move(reader)) {}

    /// Null: nothing is known.
    const ModelFacts* of(const Subsystem& subsystem, System& system);

private:
    ModelReader reader_;
    std::map<std::filesystem::path, std::unique_ptr<ModelFacts>> known_;
};

/// Makes what the file says fit the FMUs: values get the types of their variables, names that no
/// FMU has and second sources of an input are left out, and where units differ the number passes
/// as it is, as in the other tools. Each of these is a note.
void fit_to_models(System& system, Models& models);

}  // namespace tandem::foreign
