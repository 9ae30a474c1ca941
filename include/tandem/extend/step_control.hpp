#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tandem/extend/options.hpp"
#include "tandem/extend/registry.hpp"
#include "tandem/extend/system.hpp"

namespace tandem::stepsize {

/// Limits and tolerance, as users give them.
struct ControlOptions {
    /// What errors may be, by nominal and size. What is compared with it, each control says.
    double tolerance = 1e-4;
    double first_step = 0.0;  ///< 0: the communication step
    double min_step = 0.0;    ///< 0: 1e-6 of the communication step
    double max_step = 0.0;    ///< 0: as long as communication points are apart
};

/// A pair of links whose values make a power, one each way.
struct PowerBond {
    Link effort;
    Link flow;
};

/// What a control may want to know of a run.
struct RunFacts {
    double span = 1.0;      ///< from start to stop; without a stop a guess
    int order = 1;          ///< of the coupling
    bool iterates = false;  ///< the coupling does, until outputs and inputs agree
    double gain = 2.0;      ///< of its halves: how many times larger the error of a whole step is
    std::vector<PowerBond> bonds;
};

/// Judges macro steps of any coupling by an estimate of their error.
class StepControl {
public:
    virtual ~StepControl() = default;

    /// True: a step is done at once, then again in halves, which count. All must be able to go
    /// back.
    virtual bool repeats_in_halves() const { return false; }
    /// True: a step whose error is too large is done again, shorter.
    virtual bool rejects() const { return false; }
    /// Once, when outputs() hold the initial values.
    virtual void prepare(System& system, const RunFacts& facts) = 0;
    /// outputs() hold the values at `t`, from where a step begins, maybe again.
    virtual void begin_step(System& system, double t) = 0;
    /// The step is done at once, until `end`; its halves follow.
    virtual void keep_whole(System& /*system*/, double /*end*/) {}
    /// Of the step that is done: 1 is what is allowed. Nothing if there is no past to judge by.
    virtual std::optional<double> error(System& system, Interval interval) = 0;
    /// The output with the largest part in the last error, as subsystem.variable; may be empty.
    virtual std::string worst_output(System& /*system*/) const { return {}; }
    /// The error goes down with this power of the step.
    virtual int power() const = 0;
    /// Something has jumped.
    virtual void reset_history() {}
};

/// The scaled mean square of the differences, sum of (d / (nominal + |value|))^2 / n.
class OutputNorm {
public:
    void prepare(const System& system);
    double mean_square(std::span<const double> values, std::span<const double> others) const;
    /// The name of the output that differs most.
    std::string worst(System& system, std::span<const double> others) const;

private:
    double difference(std::size_t i, std::span<const double> values,
                      std::span<const double> others) const;

    std::vector<double> nominals_;
};

/// What the file or the command line chose.
struct ControlChoice {
    std::string method = "fixed";
    std::vector<GivenOption> options = {};
    std::string place = {};  ///< of the method's name
};

/// Null with "fixed".
struct Control {
    std::unique_ptr<StepControl> control;
    ControlOptions options;
    bool needs_bonds = false;
};

struct ControlRow {
    std::string name;
    std::string summary;  ///< one line
    std::vector<std::string> aliases = {};
    std::vector<OptionInfo> options = {};
    /// Options that do not fit become errors in the findings.
    std::function<Control(const ControlChoice&, Diagnostics&)> make = {};
};

/// All step controls.
Registry<ControlRow>& controls();

/// Those of every control but "fixed".
std::vector<OptionSpec> describe(ControlOptions& options);

/// A row whose control `make` makes of the options, which start as `defaults` and which
/// describe(options) describes; they are ControlOptions, or have more.
template <class Options, class Make>
ControlRow control_row(std::string name, std::string summary, Options defaults, Make make) {
    ControlRow row{std::move(name), std::move(summary)};
    row.options = infos_of(describe(defaults));
    row.make = [defaults = std::move(defaults), make](const ControlChoice& choice,
                                                      Diagnostics& findings) {
        Options options = defaults;
        assign_options(describe(options), choice.options, "step control '" + choice.method + "'",
                       findings);
        check_limits(options, choice, findings);
        return Control{make(options), options};
    };
    return row;
}

/// Steps must have room between their limits.
void check_limits(const ControlOptions& options, const ControlChoice& choice,
                  Diagnostics& findings);

}  // namespace tandem::stepsize
