#pragma once

#include "fmi/input_law.hpp"
#include "ode/host/held_course.hpp"

namespace tandem::subsystem {

/// The course of the inputs as an FMU asks about it: its law, or its polynomial.
class FmuLaw final : public fmi::InputLaw {
public:
    explicit FmuLaw(const ode::HeldCourse& course) : course_(course) {}

    std::size_t state_count() const override {
        return course_.law() == nullptr ? 0
                                        : static_cast<std::size_t>(course_.law()->state_count());
    }
    bool start(std::span<double> own) const override {
        course_.law()->start(own);
        return true;
    }
    bool evaluate(const Point& point, std::span<double> inputs) const override {
        course_.evaluate({point.t, point.states, point.own}, inputs);
        return true;
    }
    bool rates(const Point& point, std::span<const double> state_rates,
               std::span<double> own_rates) const override {
        course_.law()->rates({point.t, point.states, point.own}, state_rates, own_rates);
        return true;
    }

private:
    const ode::HeldCourse& course_;
};

}  // namespace tandem::subsystem
