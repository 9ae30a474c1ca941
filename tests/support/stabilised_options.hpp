#pragma once

#include "coupling/network/stabilised.hpp"

namespace tandem::test {

inline constexpr double backward_euler = 1.0, trapezoidal = 0.5;

inline coupling::StabilisedOptions implicit(coupling::NeighbourForm form, double theta) {
    coupling::StabilisedOptions options;
    options.law = coupling::StabilisedLaw::neighbours;
    options.neighbours = {form, theta};
    return options;
}

inline coupling::StabilisedOptions lti() {
    coupling::StabilisedOptions options;
    options.law = coupling::StabilisedLaw::network;
    return options;
}

inline coupling::StabilisedOptions predicted(coupling::PredictedForm form) {
    coupling::StabilisedOptions options;
    options.inputs = form;
    return options;
}

}  // namespace tandem::test
