#include "foreign/master_sim.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/names.hpp"
#include "files/read_file.hpp"
#include "foreign/limits.hpp"
#include "foreign/values.hpp"

namespace tandem::foreign {
namespace {

constexpr std::string_view blanks = " \t";

/// From the project to what all tools have in common.
class Conversion {
public:
    Conversion(const MasterSimProject& project, const std::filesystem::path& file, Models& models)
        : project_(project), models_(models) {
        system_.tool = "MasterSim";
        system_.file = file;
        system_.name = file.stem().string();
    }

    System convert() {
        for (const auto& simulator : project_.simulators) add_simulator(simulator);
        for (const auto& edge : project_.edges) add_edge(edge);
        for (const auto& parameter : project_.parameters) add_parameter(parameter);
        choose_coupling();
        choose_steps();
        choose_record();
        for (const char* keyword : {"hFallBackLimit", "binaryOutputFiles", "outputOnly"})
            if (const auto* entry = find(keyword); entry != nullptr && is_effective(keyword))
                system_.note(
                    entry->place,
                    fmt::format("'{}' is not taken over: Tandem has nothing like it", keyword));
        return std::move(system_);
    }

private:
    using Entry = MasterSimProject::Entry;

    const Entry* find(std::string_view keyword) const {
        const auto found = project_.options.find(keyword);
        return found == project_.options.end() ? nullptr : &found->second;
    }

    bool is_effective(std::string_view keyword) const {
        return keyword != "hFallBackLimit" || iterates_;
    }

    std::string word(std::string_view keyword, const std::vector<std::string>& known) const {
        const Entry* entry = find(keyword);
        if (entry == nullptr) return known.front();
        if (std::ranges::find(known, entry->value) == known.end())
            throw InputError(entry->place,
                             fmt::format("'{}' is not a value of {}", entry->value, keyword),
                             did_you_mean(entry->value, known, "use " + known.front()));
        return entry->value;
    }

    bool flag(std::string_view keyword, bool otherwise) const {
        const Entry* entry = find(keyword);
        return entry == nullptr
                   ? otherwise
                   : entry->value == "true" || entry->value == "yes" || entry->value == "1";
    }

    double number(std::string_view keyword, double otherwise) const {
        const Entry* entry = find(keyword);
        if (entry == nullptr) return otherwise;
        const auto value = number_of(entry->value);
        if (!value)
            throw InputError(entry->place, fmt::format("'{}' is not a number", entry->value),
                             fmt::format("write {} and a number", keyword));
        return *value;
    }

    /// In seconds; written with a unit.
    double seconds(std::string_view keyword, double otherwise) const {
        static const std::map<std::string_view, double> units = {
            {"ms", 1e-3},  {"s", 1.0},     {"", 1.0},        {"min", 60.0},
            {"h", 3600.0}, {"d", 86400.0}, {"a", 31536000.0}};
        const Entry* entry = find(keyword);
        if (entry == nullptr) return otherwise;
        const std::string_view text = entry->value;
        const std::size_t end = std::min(text.find_first_of(blanks), text.size());
        const auto value = number_of(text.substr(0, end));
        const auto unit = units.find(trimmed(text.substr(end)));
        if (!value || unit == units.end())
            throw InputError(entry->place, fmt::format("'{}' is not a time", entry->value),
                             "write a number and ms, s, min, h, d or a");
        // Exact: 10 ms are 0.01 s, not 0.01 and a rounding error.
        return unit->second == 1e-3 ? *value / 1000.0 : *value * unit->second;
    }

    void add_simulator(const MasterSimProject::Simulator& simulator) {
        Subsystem subsystem;
        subsystem.name = free_name(simulator.name, system_);
        subsystem.place = simulator.place;
        subsystem.source = file_of(simulator.path, system_.file.parent_path());
        const std::string ending = subsystem.source.extension().string();
        subsystem.is_table = ending == ".csv" || ending == ".tsv";
        if (subsystem.name != simulator.name)
            system_.note(simulator.place, fmt::format("the simulator '{}' is called {} here",
                                                      simulator.name, subsystem.name));
        names_[simulator.name] = subsystem.name;
        system_.add(std::move(subsystem));
    }

    Port renamed(const Port& port) const { return {names_.at(port.subsystem), port.variable}; }

    void add_edge(const MasterSimProject::Edge& edge) {
        Connection connection{
            renamed(edge.from), renamed(edge.to), edge.factor, edge.offset, false, {}, edge.place};
        if (system_.find(connection.from.subsystem)->is_table) {
            // The header of a table may say units, which MasterSim does not look at.
            connection.suppresses_units = true;
            if (is_held(connection.to))
                connection.from.subsystem = held_twin(connection.from.subsystem);
        }
        system_.connections.push_back(std::move(connection));
    }

    /// MasterSim interpolates what becomes a real number, and holds everything else.
    bool is_held(const Port& target) {
        const Subsystem& subsystem = *system_.find(target.subsystem);
        const ModelFacts* model = models_.of(subsystem, system_);
        const VariableFacts* variable = model == nullptr ? nullptr : model->find(target.variable);
        return variable != nullptr && storage_of(variable->type) != Storage::reals;
    }

    /// The same table once more, with values that stay until the next row.
    std::string held_twin(const std::string& table) {
        const auto [known, is_new] = twins_.try_emplace(table);
        if (is_new) {
            Subsystem twin = *system_.find(table);
            twin.name = known->second = free_name(table + "_held", system_);
            twin.is_held = true;
            system_.add(std::move(twin));
        }
        return known->second;
    }

    void add_parameter(const MasterSimProject::Parameter& parameter) {
        const Port variable = renamed(parameter.variable);
        std::vector<Setting>& values = system_.find(variable.subsystem)->parameters;
        values.push_back(guessed(variable.variable, parameter.value));
        values.back().place = parameter.place;
    }

    void choose_coupling() {
        const std::string mode = word("MasterMode", {"GAUSS_SEIDEL", "GAUSS_JACOBI", "NEWTON"});
        iterates_ = mode == "NEWTON" || (mode == "GAUSS_SEIDEL" && number("maxIterations", 1) > 1);
        if (mode == "GAUSS_JACOBI") {
            system_.coupling = {"GAUSS_JACOBI: all step at once, inputs are held",
                                {description::text_setting("method", "jacobi")}};
        } else if (!iterates_) {
            system_.coupling = {
                "GAUSS_SEIDEL: one after the other in this sequence, inputs are held",
                {description::text_setting("method", "gauss_seidel"),
                 description::text_list("sequence", sequence())}};
        } else {
            choose_iteration(mode);
        }
    }

    void choose_iteration(const std::string& mode) {
        const bool is_newton = mode == "NEWTON";
        system_.coupling = {
            mode + " with iterations: steps are repeated until the values agree",
            {description::text_setting("method", "iterative"),
             description::text_setting("accelerator", is_newton ? "newton" : "fixed_point"),
             description::text_setting("inputs", "constant"),
             description::real_setting("tolerance", number("relTol", 1e-6))}};
        if (!is_newton)
            system_.coupling.settings.push_back(description::text_setting("sweep", "gauss_seidel"));
        if (const Entry* limit = find("maxIterations"))
            system_.note(
                limit->place,
                "'maxIterations' is not taken over: Tandem iterates until the values agree "
                "and refuses a step in which they do not",
                "max_iterations under [coupling] is its limit");
        if (const Entry* entry = find("absTol"))
            system_.note(entry->place,
                         "'absTol' is not taken over: Tandem scales values by their nominals");
    }

    /// By cycles, and inside a cycle as listed.
    std::vector<std::string> sequence() const {
        std::vector<std::pair<std::int64_t, std::string>> order;
        for (const auto& simulator : project_.simulators)
            order.emplace_back(simulator.cycle, names_.at(simulator.name));
        std::ranges::stable_sort(order, {}, &std::pair<std::int64_t, std::string>::first);
        std::vector<std::string> names;
        for (const auto& [cycle, name] : order) {
            names.push_back(name);
            if (const auto twin = twins_.find(name); twin != twins_.end())
                names.push_back(twin->second);
        }
        return names;
    }

    void choose_steps() {
        system_.start = seconds("tStart", 0.0);
        system_.stop = seconds("tEnd", 31536000.0);
        if (*system_.stop <= *system_.start)
            throw InputError(find("tEnd") != nullptr ? find("tEnd")->place : system_.file.string(),
                             "tEnd is not after tStart", "give a later tEnd");
        first_step_ = seconds("hStart", 600.0);
        if (first_step_ <= 0.0) first_step_ = span() / 1000.0;
        const std::string control =
            word("ErrorControlMode", {"NONE", "CHECK", "STEP_DOUBLING", "ADAPT_STEP"});
        if (control == "CHECK")
            system_.note(
                find("ErrorControlMode")->place,
                "'CHECK' is not taken over: Tandem does not estimate errors without step "
                "control",
                "method = \"richardson\" under [step_control] does, and controls the step");
        if (control == "STEP_DOUBLING" || control == "ADAPT_STEP")
            choose_step_doubling();
        else
            choose_fixed_step();
        if (!flag("preventOversteppingOfEndTime", true))
            system_.note(find("preventOversteppingOfEndTime")->place,
                         "runs end exactly at the stop time, with a shorter last step if need be");
    }

    double positive(double value, std::string_view keyword) const {
        if (!(value > 0.0))
            throw InputError(find(keyword)->place, fmt::format("{} is not positive", keyword),
                             "give a value above zero");
        return value;
    }

    double span() const { return *system_.stop - *system_.start; }

    /// hOutputMin: a row is written after each step, but not before so much time has passed.
    double least_distance_of_rows() const { return seconds("hOutputMin", 600.0); }

    void choose_fixed_step() {
        system_.step = first_step_;
        if (flag("adjustStepSize", false)) choose_growing_step();
        constexpr double rounding = 1e-9;
        const double ratio = std::ceil(least_distance_of_rows() / *system_.step * (1.0 - rounding));
        if (ratio > 1.0 && ratio < 1e9) system_.decimation = static_cast<std::int64_t>(ratio);
    }

    /// Steps grow up to hMax as long as the iteration converges.
    void choose_growing_step() {
        const Place& place = find("adjustStepSize")->place;
        if (!iterates_) {
            system_.note(place,
                         "'adjustStepSize' without error control and iteration is not taken over: "
                         "steps keep the length hStart",
                         "use [step_control] for steps of different length");
            return;
        }
        system_.step = std::max(first_step_, longest_step());
        system_.note(place,
                     fmt::format("'adjustStepSize' without error control is not taken over: steps "
                                 "are {} s long, and shorter only where the values do not agree",
                                 *system_.step),
                     "use [step_control] for steps by an estimated error");
    }

    /// hMax, unless too few steps would remain of the run.
    double longest_step() const {
        constexpr double fewest = 50.0;
        return std::min(positive(seconds("hMax", 1800.0), "hMax"), span() / fewest);
    }

    void choose_step_doubling() {
        const double longest = longest_step();
        system_.step = std::min(std::max(longest, least_distance_of_rows()), span());
        // relTol bounds the error C h^2 of one step, tolerance that of the whole run. A coupling of
        // first order has h = sqrt(relTol / C) then, and errs by C h span = sqrt(relTol C) span in
        // the end; sqrt(C) span is the length of the run in its own time constants.
        constexpr double largest = 0.1;
        const double tolerance = std::sqrt(positive(number("relTol", 1e-6), "relTol"));
        system_.step_control = {
            "STEP_DOUBLING: each step is compared with two halves; the tolerance, of the whole "
            "run, "
            "is the root of relTol, of one step",
            {description::text_setting("method", "richardson"),
             description::real_setting("tolerance", std::min(tolerance, largest)),
             description::real_setting("first_step", std::min(first_step_, longest)),
             description::real_setting("min_step", std::min(seconds("hMin", 1e-5), longest)),
             description::real_setting("max_step", longest)}};
        if (const Entry* entry = find("relTol"))
            system_.note(entry->place,
                         fmt::format("'relTol' is the error of one step: the tolerance, the error "
                                     "of the run, is its root, {}",
                                     std::min(tolerance, largest)));
        if (const Entry* entry = find("absTol"); entry != nullptr && !iterates_)
            system_.note(entry->place,
                         "'absTol' is not taken over: Tandem scales values by their nominals");
        note_distance_of_rows();
    }

    void note_distance_of_rows() {
        const auto place = [&](std::string_view keyword) {
            return find(keyword) != nullptr ? find(keyword)->place : system_.file.string();
        };
        if (seconds("hMax", 1800.0) > longest_step())
            system_.note(place("hMax"),
                         fmt::format("'hMax' is not taken over: steps are at most {} s long, a "
                                     "fiftieth of the run",
                                     longest_step()),
                         "max_step under [step_control] and step under [experiment] say how long");
        if (least_distance_of_rows() < *system_.step)
            system_.note(
                place("hOutputMin"),
                fmt::format(
                    "'hOutputMin' is not taken over: rows of the results are {} s apart, not "
                    "at each step, as a step ends at each row",
                    *system_.step),
                "a smaller step under [experiment] gives more rows and limits the steps to it");
    }

    void choose_record() {
        if (flag("writeInternalVariables", false)) system_.recorded = {"*"};
        if (const Entry* unit = find("outputTimeUnit"); unit != nullptr && unit->value != "s")
            system_.note(unit->place, "'outputTimeUnit' is not taken over: results are in seconds");
    }

    const MasterSimProject& project_;
    Models& models_;
    System system_;
    std::map<std::string, std::string> names_;  ///< as they are here
    std::map<std::string, std::string> twins_;  ///< of tables, by their names here
    bool iterates_ = false;
    double first_step_ = 0.0;
};

}  // namespace

System read_master_sim(const std::filesystem::path& file, Models& models) {
    const std::string text = read_file(file, largest_file);
    return Conversion(parse_master_sim(text, file.string()), file, models).convert();
}

}  // namespace tandem::foreign
