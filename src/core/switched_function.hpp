#pragma once

#include <memory>
#include <span>
#include <string>

namespace tandem {

/// A coupling function with relations inside. Between two events the outcome of each relation is
/// held, so that solvers and couplings see a smooth function; a held value that is no number (NaN)
/// means that the relation is evaluated where the function is.
class SwitchedFunction {
public:
    virtual ~SwitchedFunction() = default;

    virtual std::string text() const = 0;
    /// How many relations have an outcome to hold.
    virtual int switch_count() const = 0;
    /// Whether relation k depends on time alone: next_switch() finds where it changes. The others
    /// change where their indicator does.
    virtual bool is_timed(int k) const = 0;
    virtual double evaluate(double t, std::span<const double> signals,
                            std::span<const double> held) const = 0;
    /// Of relation k: positive as long as the held outcome is the right one.
    virtual double indicator(int k, double t, std::span<const double> signals,
                             std::span<const double> held) const = 0;
    /// The outcome of relation k, for one of time alone that just behind t (its right limit).
    virtual double outcome(int k, double t, std::span<const double> signals,
                           std::span<const double> held) const = 0;
    /// How many of min, max and abs depend on signals; kink k lies where this difference of the
    /// operands changes its sign.
    virtual int kink_count() const = 0;
    virtual double kink(int k, double t, std::span<const double> signals,
                        std::span<const double> held) const = 0;
    /// The first time after t and up to `end` at which a relation of time alone changes; infinity
    /// if there is none. It may be earlier: none changes before it.
    virtual double next_switch(double t, double end) const = 0;
    /// Likewise where min, max or abs of time alone have a kink.
    virtual double next_kink(double t, double end) const = 0;
};

/// To be put into FunctionLink::function, where others find it again by its type.
struct SwitchedCall {
    std::shared_ptr<const SwitchedFunction> of;

    double operator()(double t, std::span<const double> signals) const {
        return of->evaluate(t, signals, {});
    }
};

/// What Switches puts in its place: relations that have a held outcome keep it.
struct HeldCall {
    std::shared_ptr<const SwitchedFunction> of;
    std::span<const double> held;
    std::span<double> outcomes;  ///< as many, room for those at one point

    double operator()(double t, std::span<const double> signals) const {
        return of->evaluate(t, signals, held);
    }
};

}  // namespace tandem
