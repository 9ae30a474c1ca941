#include "run/watch/delayed_loops.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "tandem/extend/index.hpp"

namespace tandem::run {
namespace {

constexpr int most_steps = 200;
/// Deviations are as small as that first, and are followed until they are as large.
constexpr double first_deviation = 1e-30, last_deviation = 1e250, no_deviation = 1e-280;

class NoVariables final : public Variables {
public:
    const std::vector<VariableInfo>& list() const override { return list_; }
    VariableGroup group(std::span<const std::size_t>) const override { return {}; }
    void read(const VariableGroup&, Values&) override {}
    void write(const VariableGroup&, const Values&) override {}

private:
    std::vector<VariableInfo> list_;
};

/// y = D u without states, beside a subsystem that has more to do.
class FeedThroughOnly final : public Subsystem, public Rollback, public Linearisable {
public:
    struct Entry {
        std::size_t output = 0, input = 0;
        double gain = 0.0;
    };

    explicit FeedThroughOnly(const Subsystem& original)
        : name_(original.name()), interface_(original.interface()) {
        facets_ = facets_of(this);
        const Capabilities& can = original.interface().capabilities;
        interface_.capabilities = {.rollback = can.rollback,
                                   .variable_step = true,
                                   .input_derivatives = can.input_derivatives,
                                   .output_derivatives = std::min(can.output_derivatives, 1)};
        values_.resize(interface_.inputs.size());
        slopes_.resize(interface_.inputs.size());
    }
    void add(const Entry& entry) { entries_.push_back(entry); }

    const std::string& name() const override { return name_; }
    const Interface& interface() const override { return interface_; }
    Variables& variables() override { return variables_; }
    void enter_initialisation(const Experiment&) override {}
    void exit_initialisation() override {}
    void finish() override {}

    void set_inputs(const InputCourse& course) override {
        std::ranges::copy(course.values, values_.begin());
        for (std::size_t i = 0; i < slopes_.size(); ++i)
            slopes_[i] = course.order > 0 ? course.derivatives[i] : 0.0;
    }
    StepResult step(Interval interval) override { return {Outcome::complete, interval.end}; }
    StepResult exchange_step(const InputCourse& course, Interval interval,
                             std::span<double> outputs) override {
        set_inputs(course);
        for (std::size_t i = 0; i < values_.size(); ++i)
            values_[i] = course.at(interval.length(), i);
        get_outputs(outputs);
        return {Outcome::complete, interval.end};
    }
    void get_outputs(std::span<double> outputs) override { apply(values_, outputs); }
    void save(StateSlot slot) override { saved_[static_cast<int>(slot)] = values_; }
    void restore(StateSlot slot) override { values_ = saved_[static_cast<int>(slot)]; }
    bool get_output_derivatives(int /*order*/, std::span<double> derivatives) override {
        apply(slopes_, derivatives);
        return true;
    }

private:
    void apply(const std::vector<double>& inputs, std::span<double> outputs) const {
        std::ranges::fill(outputs, 0.0);
        for (const Entry& entry : entries_)
            outputs[entry.output] += entry.gain * inputs[entry.input];
    }

    std::string name_;
    Interface interface_;
    NoVariables variables_;
    std::vector<Entry> entries_;
    std::vector<double> values_, slopes_;
    std::vector<double> saved_[state_slot_count];
};

void add_links(const assemble::AlgebraicLoop& loop, std::vector<FunctionLink>& links) {
    std::vector<std::vector<double>> gains(loop.inputs.size());
    const std::size_t first = links.size();
    for (const int input : loop.inputs) links.push_back({input, {}, {}});
    for (const assemble::Gain& gain : loop.links) {
        links[first + gain.row].outputs.push_back(loop.outputs[gain.column]);
        gains[gain.row].push_back(gain.value);
    }
    for (std::size_t i = 0; i < gains.size(); ++i)
        links[first + i].function = [own = std::move(gains[i])](double,
                                                                std::span<const double> signals) {
            double sum = 0.0;
            for (std::size_t k = 0; k < own.size(); ++k) sum += own[k] * signals[k];
            return sum;
        };
}

/// A system of nothing but the loops, each apart from the others: the solution is zero.
System loops_alone(const System& system, const std::vector<assemble::AlgebraicLoop>& loops) {
    std::vector<std::unique_ptr<FeedThroughOnly>> parts;
    for (int s = 0; s < system.size(); ++s)
        parts.push_back(std::make_unique<FeedThroughOnly>(system.at(s)));
    std::vector<FunctionLink> links;
    for (const assemble::AlgebraicLoop& loop : loops) {
        for (const assemble::Gain& gain : loop.feed_through) {
            const int s = system.subsystem_of_input(loop.inputs[gain.column]);
            parts[index(s)]->add({index(loop.outputs[gain.row] - system.output_begin(s)),
                                  index(loop.inputs[gain.column] - system.input_begin(s)),
                                  gain.value});
        }
        add_links(loop, links);
    }
    return {{std::make_move_iterator(parts.begin()), std::make_move_iterator(parts.end())},
            {},
            std::move(links)};
}

double deviation(System& system, const assemble::AlgebraicLoop& loop) {
    double largest = 0.0;
    for (const int output : loop.outputs)
        largest = std::max(largest, std::abs(system.outputs()[index(output)]));
    return largest;
}

/// The mean over the second half of the steps.
double growth(const std::vector<double>& deviations) {
    const std::size_t last = deviations.size() - 1, middle = last / 2;
    if (last == 0 || !(deviations[last] > no_deviation)) return 0.0;
    return std::pow(deviations[last] / deviations[middle],
                    1.0 / static_cast<double>(last - middle));
}

}  // namespace

std::vector<double> growth_per_step(const System& system,
                                    const std::vector<assemble::AlgebraicLoop>& loops,
                                    coupling::Coupling& coupling) {
    System alone = loops_alone(system, loops);
    // Different values, lest the deviation be one that happens to vanish.
    for (std::size_t i = 0; i < alone.outputs().size(); ++i)
        alone.outputs()[i] = first_deviation * (1.0 + std::sin(1.0 + static_cast<double>(i)) / 2.0);
    alone.route(0.0);
    coupling.prepare(alone, 1.0);
    std::vector<std::vector<double>> deviations(loops.size());
    bool goes_on = true;
    for (int k = 0; k < most_steps && goes_on; ++k) {
        if (!coupling.advance(alone, {static_cast<double>(k), static_cast<double>(k + 1)})) break;
        for (std::size_t i = 0; i < loops.size(); ++i) {
            deviations[i].push_back(deviation(alone, loops[i]));
            goes_on = goes_on && deviations[i].back() < last_deviation;
        }
    }
    std::vector<double> result;
    for (const std::vector<double>& one : deviations) result.push_back(growth(one));
    return result;
}

namespace {

/// As named in the choice; empty: the default.
std::string loop_treatment(const coupling::Choice& choice) {
    for (const GivenOption& option : choice.options)
        if (option.name == "loops") return to_text(option.value);
    return {};
}

/// Then loops are delayed only through members that cannot go back.
bool is_iterative(const coupling::Choice& choice) {
    return choice.method == "iterative" ||
           std::ranges::any_of(choice.options, [](const GivenOption& option) {
               return option.name == "outer" && to_text(option.value) == "iterative";
           });
}

/// Moves one input and looks whether an output follows, by at least a part of its gain.
bool acts(System& system, int input, int output, double gain) {
    constexpr double part = 1e-3;
    const int s = system.subsystem_of_input(input);
    const auto inputs = system.inputs_of(s), outputs = system.outputs_of(s);
    double& value = system.inputs()[index(input)];
    const double kept = value, before = system.outputs()[index(output)];
    const double increment = part * std::max(std::abs(value), system.input_port(input).nominal);
    value += increment;
    system.at(s).set_inputs({.values = inputs});
    system.at(s).get_outputs(outputs);
    const double moved = std::abs(system.outputs()[index(output)] - before);
    value = kept;
    system.at(s).set_inputs({.values = inputs});
    system.at(s).get_outputs(outputs);
    return moved >= part * std::abs(gain * increment);
}

}  // namespace

bool can_solve_between_steps(assemble::Assembly& assembly,
                             const std::vector<assemble::AlgebraicLoop>& loops) {
    const std::string treatment = loop_treatment(assembly.coupling_choice);
    const bool is_automatic = treatment.empty() || treatment == "automatic";
    const bool is_wanted =
        treatment == "solve" ||
        (is_automatic && (assembly.coupling_is_decided || is_iterative(assembly.coupling_choice)));
    const auto is_noticeable = [](const assemble::AlgebraicLoop& loop) {
        return loop.is_noticeable();
    };
    if (!is_wanted || std::ranges::none_of(loops, is_noticeable)) return false;
    return std::ranges::all_of(loops, [&](const assemble::AlgebraicLoop& loop) {
        return std::ranges::all_of(loop.feed_through, [&](const assemble::Gain& gain) {
            return gain.value == 0.0 || acts(*assembly.system, loop.inputs[gain.column],
                                             loop.outputs[gain.row], gain.value);
        });
    });
}

}  // namespace tandem::run
