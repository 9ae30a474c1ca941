#include "run/watch/time_resolution.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

#include "core/times.hpp"

namespace tandem::run {
namespace {

/// A step of so many spacings has a length that is right to 0.1 %.
constexpr double many_spacings = 1000.0;

struct GivenLength {
    std::string place;
    std::string name;  ///< as in "the max_step of 'motor'"
    double length = 0.0;
};

void add_setting(const std::string& place, const std::string& name, double length,
                 std::vector<GivenLength>& lengths) {
    if (length > 0.0) lengths.push_back({place, name, length});
}

void add_of_subsystems(const description::FlatSystem& flat, double step,
                       std::vector<GivenLength>& lengths) {
    for (const description::FlatSubsystem& subsystem : flat.subsystems) {
        for (const char* key : {"step", "max_step"})
            if (const description::Setting* setting = subsystem.option(key);
                setting && setting->is_number())
                add_setting(setting->place, fmt::format("the {} of '{}'", key, subsystem.name),
                            setting->as_real(), lengths);
        const description::Setting* ratio = subsystem.option("step_ratio");
        if (ratio != nullptr && ratio->is_number() && ratio->as_real() > 1.0)
            add_setting(ratio->place,
                        fmt::format("a step of '{}' by its step_ratio", subsystem.name),
                        step / ratio->as_real(), lengths);
    }
}

std::vector<GivenLength> given_lengths(const description::FlatSystem& flat,
                                       const assemble::Assembly& assembly, double step) {
    std::vector<GivenLength> lengths;
    add_of_subsystems(flat, step, lengths);
    for (const auto& option : assembly.coupling_record.options)
        if (option.name == "step" || option.name == "max_step")
            add_setting(flat.coupling.place, fmt::format("the {} of the coupling", option.name),
                        std::strtod(option.value.c_str(), nullptr), lengths);
    const stepsize::ControlOptions& control = assembly.control.options;
    if (assembly.control.control != nullptr) {
        const std::string& place = flat.step_control.place;
        add_setting(place, "the min_step of the step control", control.min_step, lengths);
        add_setting(place, "the first_step of the step control", control.first_step, lengths);
        add_setting(place, "the max_step of the step control", control.max_step, lengths);
    }
    return lengths;
}

constexpr const char* hint =
    "start at 0 and add the start time to the times of the results, or choose a longer one";

void warn_of_few(const GivenLength& given, double latest, Diagnostics& findings) {
    const double spacing = spacing_of_times(latest);
    if (given.length >= many_spacings * spacing) return;
    findings.push_back(
        {Severity::warning, given.place,
         fmt::format("{}, {:.6g}, is only {:.3g} times the spacing of numbers at t = {:.9g}: times "
                     "are rounded to {:.2g}, and so are lengths of steps",
                     given.name, given.length, given.length / spacing, latest, spacing),
         hint});
}

}  // namespace

void check_time_resolution(const description::FlatSystem& flat, const assemble::Assembly& assembly,
                           RunTimes times, Diagnostics& findings) {
    const double latest = times.latest, spacing = spacing_of_times(latest);
    std::vector<GivenLength> lengths = given_lengths(flat, assembly, times.step);
    for (const description::FlatTlm& line : flat.tlm) {
        const GivenLength delay{line.place, fmt::format("the delay of tlm '{}'", line.name),
                                description::line_numbers(line).delay};
        add_setting(delay.place, delay.name, delay.length, lengths);
        if (delay.length >= spacing) warn_of_few(delay, latest, findings);
    }
    for (const GivenLength& given : lengths)
        if (given.length < spacing)
            findings.push_back(
                {Severity::error, given.place,
                 fmt::format("{}, {:.6g}, is too short to be seen at t = {:.9g}, where numbers are "
                             "{:.2g} apart",
                             given.name, given.length, latest, spacing),
                 hint});
    if (std::fmod(times.step, spacing) != 0.0)
        warn_of_few({flat.experiment.place, "the communication step", times.step}, latest,
                    findings);
}

}  // namespace tandem::run
