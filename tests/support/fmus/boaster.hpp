#pragma once

#include <cmath>
#include <limits>
#include <string>
#include <string_view>

/// dx/dt = a x + u, y = x, z = x + d u, and at t = 0.25, 0.75, ... x grows by `kick`. Says that it
/// has every optional function; the name of its instance has the words of those that it does not
/// do, as in "get_state" or "output_slopes_later", which is from t = 0.45 on; slopes of inputs may
/// be set to zero then, unless it is "stuck". With "discard" and
/// "nonsense" in its name it answers so instead of with an error.
struct Boaster {
    enum Reference : unsigned { u, y, a, x, der_x, d, z, kick, count };

    std::string name;
    double values[count] = {0.0, 0.0, -1.0, 1.0, 0.0, 0.0, 0.0, 0.0};
    double slope = 0.0;  // of the input
    double t = 0.0;
    double next_event = 0.25;

    bool has(std::string_view word) const { return name.find(word) != std::string::npos; }
    bool does(std::string_view function) const {
        return !has(function) || (has("later") && t < 0.45);
    }
    /// A status of any version.
    int refusal() const { return has("discard") ? 2 : has("nonsense") ? 77 : 3; }
    template <class Status>
    Status refused() const {
        return static_cast<Status>(refusal());
    }

    void evaluate() {
        values[der_x] = values[a] * values[x] + values[u];
        values[y] = values[x];
        values[z] = values[x] + values[d] * values[u];
    }
    double get(unsigned reference) {
        evaluate();
        return values[reference];
    }
    /// x = e^(a h) x + phi1 u + phi2 du/dt with phi1 = (e^(a h) - 1) / a, phi2 = (phi1 - h) / a
    void step(double begin, double h) {
        const double phi1 = std::expm1(values[a] * h) / values[a];
        const double phi2 = (phi1 - h) / values[a];
        values[x] += values[a] * phi1 * values[x] + phi1 * values[u] + phi2 * slope;
        values[u] += slope * h;
        t = begin + h;
    }
    bool event_is_due() const { return t >= next_event - 1e-12; }
    void pass_event() {
        if (!event_is_due()) return;
        values[x] += values[kick];
        next_event += 0.5;
    }

    /// d(unknown) for changes of x and u.
    double derivative(unsigned unknown, double d_x, double d_u) const {
        if (unknown == der_x) return values[a] * d_x + d_u;
        return unknown == z ? d_x + values[d] * d_u : d_x;
    }
    template <class Status, class Reference>
    Status derive(const Reference* unknowns, std::size_t size, const Reference* knowns,
                  std::size_t known_count, const double* seed, double* sensitivity) const {
        double d_x = 0.0, d_u = 0.0;
        for (std::size_t i = 0; i < known_count; ++i) (knowns[i] == x ? d_x : d_u) += seed[i];
        for (std::size_t i = 0; i < size; ++i) sensitivity[i] = derivative(unknowns[i], d_x, d_u);
        if (does("directional")) return Status::ok;
        if (!has("no_number")) return refused<Status>();
        sensitivity[0] = std::numeric_limits<double>::quiet_NaN();
        return Status::ok;
    }
    template <class Status>
    Status output_slopes(std::size_t size, double* slopes) {
        evaluate();
        if (!does("output_slopes") && !has("no_number")) return refused<Status>();
        for (std::size_t i = 0; i < size; ++i)
            slopes[i] =
                does("output_slopes") ? values[der_x] : std::numeric_limits<double>::infinity();
        return Status::ok;
    }
    template <class Status>
    Status input_slopes(const double* slopes) {
        const bool takes_zeros = has("later") && !has("stuck");
        if (!does("input_slopes") && !(takes_zeros && slopes[0] == 0.0)) return refused<Status>();
        slope = slopes[0];
        return Status::ok;
    }

    template <class Status>
    Status get_state(void** state) const {
        if (!does("get_state")) return refused<Status>();
        if (*state == nullptr) *state = new Boaster;
        *static_cast<Boaster*>(*state) = *this;
        return Status::ok;
    }
    template <class Status>
    Status set_state(const void* state) {
        if (!does("set_state")) return refused<Status>();
        *this = *static_cast<const Boaster*>(state);
        return Status::ok;
    }
    template <class Status>
    Status free_state(void** state) const {
        delete static_cast<Boaster*>(*state);
        *state = nullptr;
        return does("free_state") ? Status::ok : refused<Status>();
    }
};
