#include "foreign/maestro.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/listed.hpp"
#include "files/read_file.hpp"
#include "foreign/limits.hpp"
#include "foreign/values.hpp"

namespace tandem::foreign {
namespace {

namespace fs = std::filesystem;

bool is_there(const fs::path& file) {
    std::error_code failed;
    return fs::exists(file, failed);
}

/// maestro searches FMUs where it was started or in folders it is told; multi-models of the
/// INTO-CPS application name them relative to the folder FMUs of the project. So a file that is not
/// where the path leads from the multi-model is looked for in the folders above it, by its path and
/// then by its name, and in folders FMUs there.
fs::path found_file(const std::string& name, const fs::path& given_folder) {
    const fs::path folder = whole_path(given_folder);
    const fs::path nearest = file_of(name, folder);
    if (is_there(nearest)) return nearest;
    for (fs::path above = folder;; above = above.parent_path()) {
        for (const fs::path& root : {above, above / "FMUs", above / "fmus"})
            for (const fs::path& file : {file_of(name, root), root / nearest.filename()})
                if (is_there(file)) return file;
        if (above == above.parent_path()) return nearest;
    }
}

class Conversion {
public:
    Conversion(const MaestroModel& model, const fs::path& file) : model_(model) {
        system_.tool = "maestro (INTO-CPS)";
        system_.file = file;
        system_.name = file.stem().string();
        system_.notes = model.notes;
    }

    System convert() {
        for (const auto& connection : model_.connections) {
            Connection converted;
            converted.from = port_of(connection.from, connection.place);
            converted.to = port_of(connection.to, connection.place);
            converted.place = connection.place;
            system_.connections.push_back(std::move(converted));
        }
        for (const auto& parameter : model_.parameters) {
            const Port port = port_of(parameter.name, parameter.value.place);
            system_.find(port.subsystem)->parameters.push_back(parameter.value);
        }
        choose_record();
        for (const auto& fmu : model_.fmus)
            if (!used_.contains(fmu.key))
                system_.note(fmu.place,
                             fmt::format("the FMU '{}' is left out: no instance of it is "
                                         "named",
                                         fmu.key));
        if (system_.subsystems.empty())
            throw InputError(system_.file.string(), "names no instance of its FMUs",
                             "connections and parameters name them: {fmu}.instance.variable");
        choose_algorithm();
        return std::move(system_);
    }

private:
    Port port_of(const MaestroModel::Name& name, const Place& place) {
        const auto [known, is_new] = names_.try_emplace({name.key, name.instance});
        if (is_new) known->second = added(name, place);
        return {known->second, name.variable};
    }

    std::string added(const MaestroModel::Name& name, const Place& place) {
        const auto fmu = std::ranges::find(model_.fmus, name.key, &MaestroModel::Fmu::key);
        used_.insert(name.key);
        Subsystem subsystem;
        subsystem.name = free_name(name.instance, system_);
        subsystem.place = fmu->place;
        const fs::path folder = system_.file.parent_path();
        subsystem.source = found_file(fmu->path, folder);
        if (subsystem.name != name.instance)
            system_.note(place, fmt::format("the instance '{}.{}' is called {} here", name.key,
                                            name.instance, subsystem.name));
        if (subsystem.source != file_of(fmu->path, folder))
            system_.note(
                fmu->place,
                fmt::format("the FMU '{}' was found as {}", fmu->path, subsystem.source.string()),
                "correct 'source' in the file that was written if it is another one");
        return system_.add(std::move(subsystem)).name;
    }

    /// maestro records connected outputs, and what is asked for besides.
    void choose_record() {
        if (model_.logged.empty()) return;
        std::set<std::string> seen;
        const auto add = [&](const Port& port) {
            if (seen.insert(port.text()).second) system_.recorded.push_back(port.text());
        };
        for (const Connection& connection : system_.connections) add(connection.from);
        for (const auto& name : model_.logged) add(port_of(name, system_.file.string()));
    }

    void choose_algorithm() {
        system_.start = model_.start.value_or(0.0);
        system_.stop = model_.end;
        system_.step = model_.step;
        if (!model_.end)
            system_.note(system_.file.string(), "there is no end time",
                         "give the configuration with --config, or write stop = ... under "
                         "[experiment]");
        if (!model_.step)
            system_.note(system_.file.string(), "there is no step size",
                         "give the configuration with --config, or write step = ... under "
                         "[experiment]");
        if (model_.algorithm != "fixed-step")
            system_.note(model_.algorithm_place,
                         fmt::format("the algorithm '{}' and its constraints are not taken over: "
                                     "steps have one length",
                                     model_.algorithm),
                         "use [step_control] for steps of different length");
        if (model_.is_parallel) system_.threads = 0;
        if (model_.stabilises)
            system_.coupling = {
                "Stabilisation: steps are repeated until the values agree",
                {description::text_setting("method", "iterative"),
                 description::text_setting("accelerator", "fixed_point"),
                 description::text_setting("inputs", "constant"),
                 description::real_setting("tolerance", model_.relative_tolerance)}};
        else
            system_.coupling = {"All step at once, inputs are held",
                                {description::text_setting("method", "jacobi")}};
    }

    const MaestroModel& model_;
    System system_;
    std::map<std::pair<std::string, std::string>, std::string> names_;
    std::set<std::string> used_;
};

JsonText read_json(const fs::path& file) { return {read_file(file, largest_file), file.string()}; }

bool has_times(const Json& object) {
    return object.is_object() && (object.contains("endTime") || object.contains("end_time"));
}

/// Whether a file beside a multi-model is a configuration for it.
bool is_config(const fs::path& file) {
    std::error_code failed;
    constexpr std::uintmax_t largest_config = 1U << 20U;
    if (file.extension() != ".json" || !fs::is_regular_file(file, failed) ||
        fs::file_size(file, failed) > largest_config)
        return false;
    try {
        const JsonText text = read_json(file);
        return has_times(text.root()) && !text.root().contains("fmus") &&
               !text.root().contains("multiModel");
    } catch (const InputError&) {
        return false;
    }
}

std::vector<fs::path> configs_beside(const fs::path& model) {
    constexpr int most_files = 200;
    std::vector<fs::path> files, configs;
    std::error_code failed;
    const fs::path folder = model.has_parent_path() ? model.parent_path() : ".";
    for (const auto& entry : fs::directory_iterator(folder, failed)) {
        files.push_back(entry.path());
        if (files.size() > most_files) return {};
        // The INTO-CPS application has them in folders of their own.
        if (entry.is_directory(failed) && !entry.is_symlink(failed))
            for (const auto& inner : fs::directory_iterator(entry.path(), failed))
                if (inner.path().filename().string().ends_with("coe.json") &&
                    files.size() <= most_files)
                    files.push_back(inner.path());
    }
    std::ranges::copy_if(files, std::back_inserter(configs), is_config);
    std::ranges::sort(configs);
    return configs;
}

/// The configuration to take, with a note; empty if there is none or a choice.
fs::path config_beside(const JsonText& model, Diagnostics& notes) {
    const Json& root = model.root();
    if (has_times(root) || (root.is_object() && root.contains("executionParameters"))) return {};
    const std::vector<fs::path> configs = configs_beside(model.file());
    if (configs.empty()) return {};
    std::vector<std::string> names;
    for (const fs::path& config : configs) names.push_back(config.filename().string());
    const bool is_one = configs.size() == 1;
    notes.push_back({Severity::warning, model.file(),
                     is_one ? fmt::format("times are those of {} beside it", names.front())
                            : fmt::format("several files beside it may be its configuration: {}",
                                          listed(names)),
                     is_one ? "" : "choose one with --config"});
    return is_one ? configs.front() : fs::path();
}

}  // namespace

System read_maestro(const fs::path& file, const fs::path& config) {
    const JsonText given = read_json(file);
    const Json& root = given.root();
    // A configuration may name its multi-model.
    if (root.is_object() && !root.contains("fmus") && config.empty() &&
        root.value("multimodel_path", Json()).is_string()) {
        const fs::path model =
            found_file(root["multimodel_path"].get<std::string>(), file.parent_path());
        if (!is_there(model))
            throw InputError(given.place_of("multimodel_path"), "the multi-model is not there",
                             "give the multi-model, and this file with --config");
        return read_maestro(model, file);
    }
    Diagnostics notes;
    const fs::path chosen = config.empty() ? config_beside(given, notes) : config;
    std::optional<JsonText> settings;
    if (!chosen.empty()) settings.emplace(read_json(chosen));
    MaestroModel model = parse_maestro(given, settings ? &*settings : nullptr);
    model.notes.insert(model.notes.begin(), notes.begin(), notes.end());
    return Conversion(model, file).convert();
}

}  // namespace tandem::foreign
