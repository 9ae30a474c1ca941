#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "files/csv_reader.hpp"
#include "files/temporary_folder.hpp"
#include "run/system_run.hpp"
#include "tandem/value.hpp"

namespace tandem::test {

/// Results by column, every cell as it stands in the file.
using TextColumns = std::map<std::string, std::vector<std::string>>;
using Columns = std::map<std::string, std::vector<double>>;

inline TextColumns read_text_columns(const std::string& path) {
    CsvReader reader(read_text_file(path), path);
    TextColumns columns;
    std::vector<std::string_view> cells;
    while (reader.next(cells))
        for (std::size_t i = 0; i < cells.size(); ++i)
            columns[reader.header()[i]].emplace_back(cells[i]);
    return columns;
}

/// Cells that are no numbers are left out.
inline Columns numbers_of(const TextColumns& text) {
    Columns columns;
    for (const auto& [name, cells] : text)
        for (const std::string& cell : cells) {
            Values values;
            if (append_text(ValueType::float64, cell, values))
                columns[name].push_back(values.reals[0]);
        }
    return columns;
}

/// In the row of that time.
inline double at(const Columns& columns, const std::string& name, double t) {
    const std::vector<double>& times = columns.at("time");
    for (std::size_t k = 0; k < times.size(); ++k)
        if (std::abs(times[k] - t) < 1e-9) return columns.at(name)[k];
    ADD_FAILURE() << "no row at " << t;
    return 0.0;
}

/// The line that says where one of our models is: kind as in all_kinds.
inline std::string source_of(const std::string& model, const std::string& kind,
                             const std::string& folder = TANDEM_FMU_DIR) {
    if (kind == "native") return fmt::format("source = \"{}/native/{}.so\"\n", folder, model);
    const std::string suffix = kind.starts_with("fmi1") ? kind : kind.substr(0, 4);
    return fmt::format("source = \"{}/{}_{}.fmu\"\nkind = \"{}\"\n", folder, model, suffix,
                       kind.substr(5));
}

inline std::string subsystem_text(const std::string& name, const std::string& model,
                                  const std::string& kind, const std::string& parameters = "") {
    return fmt::format("[subsystems.{}]\n{}parameters = {{ {} }}\n", name, source_of(model, kind),
                       parameters);
}

/// A system file in a folder of its own, gone afterwards.
class SystemFile {
public:
    explicit SystemFile(const std::string& text) { add("system.toml", text); }

    void add(const std::string& name, const std::string& text) const {
        std::ofstream(folder_.path() / name) << text;
    }
    std::string in_folder(const std::string& name) const { return folder_.path() / name; }

    run::SystemRunOptions options() const {
        run::SystemRunOptions options;
        options.file = in_folder("system.toml");
        options.outputs = {in_folder("out.csv")};
        return options;
    }
    /// Runs it and reads the results back; `findings` are the warnings it came with, `warnings`
    /// those and what was noticed in the run.
    TextColumns run_text(run::SystemRunOptions options) {
        run::SystemRun system(std::move(options));
        findings = sentences(system.findings());
        system.perform();
        warnings = sentences(system.findings());
        report = system.report();
        return read_text_columns(in_folder("out.csv"));
    }
    TextColumns run_text() { return run_text(options()); }
    Columns run() { return numbers_of(run_text()); }

    std::vector<std::string> findings, warnings;
    run::RunReport report;

private:
    static std::vector<std::string> sentences(const Diagnostics& diagnostics) {
        std::vector<std::string> texts;
        for (const Diagnostic& one : diagnostics)
            texts.push_back(sentence(one.place, one.problem, one.hint));
        return texts;
    }

    TemporaryFolder folder_;
};

}  // namespace tandem::test
