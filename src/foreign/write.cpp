#include "foreign/write.hpp"

#include <fmt/format.h>

#include "base/visible.hpp"
#include "description/read/toml_text.hpp"
#include "foreign/values.hpp"

namespace tandem::foreign {
namespace {

using description::real_setting;
using description::text_setting;
using description::toml_key;
using description::toml_value;
using Type = Setting::Type;

/// What a stranger wrote, as part of a comment: on one line.
std::string one_line(const std::string& text) {
    std::string line = visible(text);
    for (char& c : line)
        if (c == '\n' || c == '\t' || c == '\r') c = ' ';
    return line;
}

std::string quoted(const std::string& text) { return toml_value(text_setting({}, text)); }

class Writer {
public:
    Writer(const System& system, std::filesystem::path folder)
        : system_(system), folder_(std::move(folder)) {}

    std::string text() {
        write_head();
        write_connections();
        write_experiment();
        write_section("coupling", system_.coupling);
        write_section("step_control", system_.step_control);
        for (const Subsystem& subsystem : system_.subsystems) write_subsystem(subsystem);
        for (const Sum& sum : system_.sums) write_sum(sum);
        for (const Bond& bond : system_.bonds) write_bond(bond);
        write_record();
        return std::move(text_);
    }

private:
    template <class... Values>
    void line(fmt::format_string<Values...> format, Values&&... values) {
        text_ += fmt::format(format, std::forward<Values>(values)...) + "\n";
    }
    void comment(const std::string& text) { line("# {}", one_line(text)); }
    void entry(const Setting& setting) {
        line("{} = {}", toml_key(setting.key), toml_value(setting));
    }

    void write_head() {
        comment(fmt::format("Made by 'tandem import' from {} of {}.",
                            system_.file.filename().string(), system_.tool));
        if (!system_.notes.empty()) comment("Not taken over, or not as it was:");
        for (const Diagnostic& note : system_.notes) {
            comment(fmt::format("- {}: {}", short_place(note.place), note.problem));
            if (!note.hint.empty()) comment("  hint: " + note.hint);
        }
        entry(text_setting("name", system_.name));
    }

    /// The folder of the file that was read need not be repeated.
    std::string short_place(const Place& place) const {
        const std::string folder = (system_.file.parent_path() / "").string();
        return place.starts_with(folder) ? place.substr(folder.size()) : place;
    }

    void write_connections() {
        if (system_.connections.empty()) return;
        line(
            "\n# What feeds what: source.output -> target.input; target = factor * source + "
            "offset.");
        line("connections = [");
        for (const Connection& connection : system_.connections)
            line("  {},{}", connection_text(connection),
                 connection.comment.empty() ? "" : "  # " + one_line(connection.comment));
        line("]");
    }

    static std::string connection_text(const Connection& connection) {
        const std::string from = connection.from.text(), to = connection.to.text();
        const bool is_odd = (from + to).find("->") != std::string::npos;
        if (connection.is_plain() && !is_odd) return quoted(connection.text());
        Setting table = description::group({}, Type::table, {});
        table.entries = {text_setting("from", from), text_setting("to", to)};
        if (connection.factor != 1.0)
            table.entries.push_back(real_setting("factor", connection.factor));
        if (connection.offset != 0.0)
            table.entries.push_back(real_setting("offset", connection.offset));
        if (connection.suppresses_units)
            table.entries.push_back(boolean_setting("suppress_unit_conversion", true));
        return toml_value(table);
    }

    void write_experiment() {
        line("\n# Times in seconds. step is the communication step{}.",
             system_.step_control.settings.empty() ? ""
                                                   : " and, with step control, from row to row");
        line("[experiment]");
        const auto add = [&](const char* key, const std::optional<double>& value) {
            if (value) entry(real_setting(key, *value));
        };
        add("start", system_.start);
        add("stop", system_.stop);
        if (!system_.stop) comment("stop = 1.0  is needed here, or: tandem run --stop 1");
        add("step", system_.step);
        add("tolerance", system_.tolerance);
        if (system_.threads) entry(integer_setting("threads", *system_.threads));
    }

    void write_section(const char* name, const Section& section) {
        if (section.settings.empty()) return;
        line("");
        comment(section.comment);
        line("[{}]", name);
        for (const Setting& setting : section.settings) entry(setting);
    }

    void write_subsystem(const Subsystem& subsystem) {
        line("");
        comment(fmt::format("{} {}{}", subsystem.is_table ? "The table" : "The FMU",
                            subsystem.source.filename().string(),
                            subsystem.parameters.empty() ? "" : " and its start values"));
        line("[subsystems.{}]", toml_key(subsystem.name));
        entry(text_setting("source", relative(subsystem.source).generic_string()));
        const std::string ending = subsystem.source.extension().string();
        if (subsystem.is_table ? ending != ".csv" : ending != ".fmu")
            entry(text_setting("type", subsystem.is_table ? "table" : "fmu"));
        if (subsystem.is_held) entry(text_setting("interpolation", "hold"));
        if (!subsystem.is_table) entry(text_setting("kind", "cs"));
        if (subsystem.parameters.empty()) return;
        line("[subsystems.{}.parameters]", toml_key(subsystem.name));
        for (const Setting& parameter : subsystem.parameters) entry(parameter);
    }

    std::filesystem::path relative(const std::filesystem::path& source) const {
        const auto plain = source.lexically_proximate(folder_);
        if (!plain.string().starts_with("..")) return plain;
        // The way up leads through the folders that links stand for.
        std::error_code failed;
        const auto real = std::filesystem::weakly_canonical(source, failed);
        const auto real_folder = std::filesystem::weakly_canonical(folder_, failed);
        return failed ? source : real.lexically_proximate(real_folder);
    }

    void write_sum(const Sum& sum) {
        line("");
        comment(fmt::format("The sum '{}'", sum.name));
        line("[[functions]]");
        entry(text_setting("target", sum.target.text()));
        std::string expression;
        Setting signals = description::group("signals", Type::table, {});
        for (std::size_t i = 0; i < sum.signals.size(); ++i) {
            const std::string name = fmt::format("s{}", i + 1);
            expression += (i == 0 ? "" : " + ") + name;
            signals.entries.push_back(text_setting(name, sum.signals[i].text()));
        }
        entry(text_setting("expression", expression));
        entry(signals);
    }

    void write_bond(const Bond& bond) {
        line("\n# Two connections whose product is a power");
        line("[[bonds]]");
        entry(text_setting("name", bond.name));
        entry(text_setting("effort", bond.effort.text()));
        entry(text_setting("flow", bond.flow.text()));
    }

    void write_record() {
        if (system_.recorded.empty() && system_.decimation == 1) return;
        line("\n# What is recorded{}", system_.decimation == 1 ? "" : ", and every how many rows");
        line("[record]");
        if (!system_.recorded.empty()) {
            line("variables = [");
            for (const std::string& name : system_.recorded) line("  {},", quoted(name));
            line("]");
        }
        if (system_.decimation != 1) entry(integer_setting("decimation", system_.decimation));
    }

    const System& system_;
    std::filesystem::path folder_;
    std::string text_;
};

}  // namespace

std::string system_file_text(const System& system, const std::filesystem::path& folder) {
    return Writer(system, whole_path(folder)).text();
}

}  // namespace tandem::foreign
