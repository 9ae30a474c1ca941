#pragma once

#include <span>
#include <vector>

#include "fmi/input_law.hpp"
#include "kit/engine.hpp"

namespace tandem::kit {

/// What laws to come are about.
struct ExpectedLaw {
    std::vector<Slot> inputs;
    std::vector<double> own_nominals;
};

/// The inputs of an engine that follow a law of the importer. A vector for the solver has the
/// states of the model first, then room for those of the law.
class LawCourse {
public:
    explicit LawCourse(Engine& engine) : engine_(engine) {}

    /// Drops the law that was followed.
    void expect(ExpectedLaw expected);

    /// How many states of laws there is room for.
    std::size_t room() const { return expected_.own_nominals.size(); }
    std::span<const double> own_nominals() const { return expected_.own_nominals; }
    /// Sets the law, null for none, and its own states at the end of x. Throws
    /// std::invalid_argument if it has more states than there is room for, and Discard as below.
    void follow(const fmi::InputLaw* law, std::span<double> x);
    explicit operator bool() const { return law_ != nullptr; }

    /// Gives the inputs at a point. Throws Discard if the law cannot be evaluated there.
    void apply(double t, std::span<const double> x);
    /// Fills in the derivatives of the law's states behind those of the model.
    void add_rates(double t, std::span<const double> x, std::span<double> dx) const;

private:
    fmi::InputLaw::Point point(double t, std::span<const double> x) const;
    [[noreturn]] static void refuse(double t);

    Engine& engine_;
    ExpectedLaw expected_;
    std::vector<double> inputs_;
    const fmi::InputLaw* law_ = nullptr;
};

}  // namespace tandem::kit
