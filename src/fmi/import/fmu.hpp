#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "fmi/description/model_description.hpp"
#include "fmi/instance.hpp"
#include "tandem/error.hpp"

namespace tandem::fmi {

class Library;

/// An FMU on disk: its description, and its binary, loaded when first needed and once only.
/// Unpacked into a private temporary folder that goes away with the last user.
class Fmu : public std::enable_shared_from_this<Fmu> {
public:
    /// Opens a .fmu archive or an unpacked folder. The same file opened twice is the same object.
    /// Throws InputError for anything that is not a usable FMU.
    static std::shared_ptr<Fmu> open(const std::filesystem::path& path);

    ~Fmu();
    const std::filesystem::path& path() const { return path_; }
    /// The files of the FMU; an archive is unpacked when this is first asked for.
    const std::filesystem::path& folder() const;
    const ModelDescription& description() const { return description_; }
    /// What the importer noticed and could live with.
    const Diagnostics& findings() const { return findings_; }

    std::unique_ptr<CoSimulation> instantiate_co_simulation(const InstanceOptions& options);
    std::unique_ptr<ModelExchange> instantiate_model_exchange(const InstanceOptions& options);
    /// The loaded binary of that kind; throws InputError if it is missing or does not load.
    Library& library(Kind kind);
    /// Where that binary is. Instances with the same one run in the same memory of static data.
    const std::filesystem::path& library_path(Kind kind);
    /// Whether the Co-Simulation FMU has the extension for laws (include/tandem/fmi_law.h).
    bool takes_input_laws();
    /// Whether functions of several instances may be called at the same time: known of models made
    /// with the kit only. Others may keep things in static data.
    bool is_reentrant(Kind kind);

private:
    struct Files;
    explicit Fmu(const std::filesystem::path& path);

    std::filesystem::path path_;
    std::unique_ptr<Files> files_;
    ModelDescription description_;
    Diagnostics findings_;
    std::unique_ptr<Library> co_simulation_;
    std::unique_ptr<Library> model_exchange_;
};

}  // namespace tandem::fmi
