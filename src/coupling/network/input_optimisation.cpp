#include "coupling/network/input_optimisation.hpp"

#include <algorithm>
#include <cmath>

#include "tandem/extend/index.hpp"

namespace tandem::coupling {
namespace {

constexpr double same_length = 1e-9;

/// Entry `row` of M x, M column-major with `rows` rows.
double product(std::span<const double> matrix, std::size_t rows, std::size_t row,
               std::span<const double> x) {
    double sum = 0.0;
    for (std::size_t j = 0; j < x.size(); ++j) sum += matrix[j * rows + row] * x[j];
    return sum;
}

double size_of(double nominal) { return nominal != 0.0 ? std::abs(nominal) : 1.0; }

}  // namespace

void InputOptimisation::prepare(System& system, const NetworkModel& network, OptimisedForm form,
                                FlowMethod method, std::vector<std::span<const double>> doubts) {
    form_ = form;
    doubts_ = std::move(doubts);
    doubts_.resize(index(system.size()));
    const int count = form.aim == OptimisedAim::terminal ? 1 : form.nodes;
    nodes_.clear();
    for (int k = 1; k <= count; ++k) nodes_.push_back(static_cast<double>(k) / count);
    flow_.prepare(network, method);
    signals_ = network.make_signals();
    here_.assign(index(network.states()), 0.0);
    partners_.clear();
    partners_.resize(index(system.size()));
    for (int s = 0; s < system.size(); ++s) prepare_partner(system, network, s);
    responded_ = 0.0;
}

void InputOptimisation::prepare_partner(System& system, const NetworkModel& network, int s) {
    PerSubsystem& partner = partners_[index(s)];
    const Interface& interface = system.at(s).interface();
    const std::size_t n = network.of(s).states.size(), m = interface.inputs.size();
    const bool is_linear = form_.aim == OptimisedAim::variational && form_.is_linear &&
                           interface.capabilities.input_derivatives > 0;
    partner.order = is_linear ? 1 : 0;
    for (const FeedThrough& feed : interface.feed_through)
        partner.fed_through.push_back(feed.output);
    std::ranges::sort(partner.fed_through);
    const auto repeated = std::ranges::unique(partner.fed_through);
    partner.fed_through.erase(repeated.begin(), repeated.end());
    partner.means.resize(n);
    partner.scaled.resize(n * std::max(n, std::size_t{1}));
    partner.responses.resize(nodes_.size());
    for (numerics::StepResponse& response : partner.responses) response.prepare(n);
    const std::size_t unknowns = m * index(partner.order + 1);
    partner.doubt.resize(doubts_[index(s)].size());
    const std::size_t doubts = partner.doubt.empty() ? 0 : unknowns;
    partner.expected.resize(doubts);
    partner.distances.resize(partner.rows() * nodes_.size() + doubts);
    partner.changes.assign(unknowns, 0.0);
    partner.values.resize(m);
    partner.slopes.resize(m * index(partner.order));
    if (partner.rows() > 0 && m > 0)
        partner.least_squares.prepare(partner.distances.size(), unknowns);
}

void InputOptimisation::optimise(System& system, const NetworkModel& network, const Step& step) {
    h_ = step.h;
    if (step.has_new_matrices || std::abs(h_ - responded_) > same_length * h_) {
        for (int s = 0; s < system.size(); ++s) respond(system, network, s);
        responded_ = h_;
    }
    if (step.start.empty()) {
        std::ranges::fill(here_, 0.0);
    } else {
        std::ranges::copy(step.start, here_.begin());
    }
    for (PerSubsystem& partner : partners_) std::ranges::fill(partner.expected, 0.0);
    double begin = 0.0;
    for (std::size_t node = 0; node < nodes_.size(); ++node) {
        const double end = nodes_[node] * h_;
        flow_.follow(network, end - begin, here_, begin);
        std::ranges::copy(flow_.end(), here_.begin());
        network.signals(flow_.mean(), 0.5 * (begin + end), signals_);
        for (int s = 0; s < system.size(); ++s) measure(system, network, s, node);
        for (int s = 0; s < system.size(); ++s) expect(system, network, s, node);
        begin = end;
    }
    for (int s = 0; s < system.size(); ++s) tell(system, s);
}

/// The matrix from inputs to the distances.
void InputOptimisation::respond(System& system, const NetworkModel& network, int s) {
    PerSubsystem& partner = partners_[index(s)];
    if (partner.rows() == 0 || partner.values.empty()) return;
    const LinearModel& model = network.of(s);
    const std::size_t n = model.states.size();
    for (std::size_t node = 0; node < nodes_.size(); ++node) {
        for (std::size_t j = 0; j < n; ++j)
            for (std::size_t i = 0; i < n; ++i)
                partner.scaled[j * n + i] =
                    model.a[j * n + i] * size_of(model.nominals[j]) / size_of(model.nominals[i]);
        partner.responses[node].compute(partner.scaled, nodes_[node] * h_);
        respond_until(system, network, s, node);
    }
    doubt(system, s);
    partner.least_squares.factor();
}

/// With values v and rises r of inputs over the step, what the model misses grows with the mean of
/// inputs, v + r/2, and with their deviation from it, r (s/h - 1/2), by the root of its mean
/// square.
constexpr double deviation = 0.28867513459481287;  // 1 / sqrt(12)

void InputOptimisation::doubt(System& system, int s) {
    PerSubsystem& partner = partners_[index(s)];
    if (partner.doubt.empty()) return;
    const std::size_t m = partner.values.size(), all = partner.distances.size();
    const std::size_t first = all - partner.changes.size();
    double squares = 0.0;  // what is missed until a node grows with its part of the step
    for (const double node : nodes_) squares += node * node;
    for (std::size_t i = 0; i < m; ++i) {
        const double nominal = size_of(system.at(s).interface().inputs[i].nominal);
        for (std::size_t k = 0; k < m; ++k)
            partner.doubt[i * m + k] = std::sqrt(squares) * nominal * doubts_[index(s)][i * m + k];
    }
    const auto entry = [&](std::size_t row, std::size_t column) -> double& {
        return partner.least_squares.matrix()[column * all + first + row];
    };
    for (std::size_t i = 0; i < m; ++i)
        for (std::size_t k = 0; k < m; ++k) {
            const double value = partner.doubt[i * m + k];
            entry(k, i) = value;
            if (partner.order == 0) continue;
            entry(k, m + i) = 0.5 * value;
            entry(m + k, i) = 0.0;
            entry(m + k, m + i) = deviation * value;
        }
}

/// With means w of inputs from node to node, the nearest straight line rises by
///   12 times the integral of (x - 1/2) w over 0 < x < 1.
void InputOptimisation::expect(System& system, const NetworkModel& network, int s,
                               std::size_t node) {
    PerSubsystem& partner = partners_[index(s)];
    const double length = length_until(node), middle = nodes_[node] - 0.5 * length;
    const std::size_t m = partner.values.size();
    for (std::size_t i = 0; i < m && !partner.expected.empty(); ++i) {
        const double change = signals_.w[index(network.input_begin(s)) + i] /
                              size_of(system.at(s).interface().inputs[i].nominal);
        partner.expected[i] += length * change;
        if (partner.order > 0) partner.expected[m + i] += 12.0 * length * (middle - 0.5) * change;
    }
}

double InputOptimisation::length_until(std::size_t node) const {
    return nodes_[node] - (node > 0 ? nodes_[node - 1] : 0.0);
}

/// With x' = A x + B u, y = C x + D u and inputs that are one, or rise by one over the step, from
/// x = 0: a column for each input, all by nominals.
void InputOptimisation::respond_until(System& system, const NetworkModel& network, int s,
                                      std::size_t node) {
    PerSubsystem& partner = partners_[index(s)];
    const LinearModel& model = network.of(s);
    const Interface& interface = system.at(s).interface();
    const std::size_t n = model.states.size(), m = partner.values.size();
    const std::size_t all = partner.distances.size();
    const auto push = std::span(partner.scaled).first(n);
    for (std::size_t column = 0; column < partner.changes.size(); ++column) {
        const bool rises = column >= m;
        const std::size_t input = rises ? column - m : column;
        const double nominal = size_of(interface.inputs[input].nominal);
        for (std::size_t i = 0; i < n; ++i)
            push[i] =
                nominal / (rises ? h_ : 1.0) * model.b[input * n + i] / size_of(model.nominals[i]);
        const auto rows = partner.least_squares.matrix().subspan(
            column * all + node * partner.rows(), partner.rows());
        const numerics::StepResponse& response = partner.responses[node];
        const auto until = rises ? response.ramps() : response.constants();
        for (std::size_t i = 0; i < n; ++i) rows[i] = product(until, n, i, push);
        const auto integral = [&](const numerics::StepResponse& of, std::size_t i) {
            return product(rises ? of.parabolas() : of.ramps(), n, i, push);
        };
        find_means(partner, node, integral);
        const double input_mean = rises ? nodes_[node] - 0.5 * length_until(node) : 1.0;
        for (std::size_t k = 0; k < partner.fed_through.size(); ++k) {
            const std::size_t j = index(partner.fed_through[k]);
            const double direct =
                nominal * input_mean * model.d[input * interface.outputs.size() + j];
            rows[n + k] =
                (direct + output_mean(partner, model, j)) / size_of(interface.outputs[j].nominal);
        }
    }
}

/// The means of states since the node before, from their integrals since the start of the step.
template <class Integral>
void InputOptimisation::find_means(PerSubsystem& partner, std::size_t node,
                                   Integral integral) const {
    const double length = length_until(node) * h_;
    for (std::size_t i = 0; i < partner.means.size(); ++i) {
        const double before = node > 0 ? integral(partner.responses[node - 1], i) : 0.0;
        partner.means[i] = (integral(partner.responses[node], i) - before) / length;
    }
}

/// What the means of the states add to that of output j.
double InputOptimisation::output_mean(const PerSubsystem& partner, const LinearModel& model,
                                      std::size_t j) {
    double value = 0.0;
    for (std::size_t i = 0; i < partner.means.size(); ++i)
        value += model.c[i * model.output_slopes.size() + j] * partner.means[i] *
                 size_of(model.nominals[i]);
    return value;
}

/// From where the subsystem goes with the routed inputs, x' = rates + A x + rate_slopes s from
/// x = 0, to where the network goes.
void InputOptimisation::measure(System& system, const NetworkModel& network, int s,
                                std::size_t node) {
    PerSubsystem& partner = partners_[index(s)];
    if (partner.rows() == 0 || partner.values.empty()) return;
    const LinearModel& model = network.of(s);
    const Interface& interface = system.at(s).interface();
    const std::size_t n = model.states.size();
    const numerics::StepResponse& response = partner.responses[node];
    const auto rows = std::span(partner.distances).subspan(node * partner.rows(), partner.rows());
    const auto driven = [&](std::span<const double> by_rates, std::span<const double> by_slopes,
                            std::size_t i) {
        double sum = 0.0;
        for (std::size_t j = 0; j < n; ++j)
            sum += (by_rates[j * n + i] * model.rates[j] +
                    by_slopes[j * n + i] * model.rate_slopes[j]) /
                   size_of(model.nominals[j]);
        return sum;
    };
    for (std::size_t i = 0; i < n; ++i) {
        const double there = here_[index(network.state_begin(s)) + i] / size_of(model.nominals[i]);
        rows[i] = there - driven(response.constants(), response.ramps(), i);
    }
    const auto integral = [&](const numerics::StepResponse& of, std::size_t i) {
        return driven(of.ramps(), of.parabolas(), i);
    };
    find_means(partner, node, integral);
    const double middle = (nodes_[node] - 0.5 * length_until(node)) * h_;
    for (std::size_t k = 0; k < partner.fed_through.size(); ++k) {
        const std::size_t j = index(partner.fed_through[k]);
        const double own = model.output_slopes[j] * middle + output_mean(partner, model, j);
        rows[n + k] = (signals_.e[index(network.output_begin(s)) + j] - own) /
                      size_of(interface.outputs[j].nominal);
    }
}

void InputOptimisation::tell(System& system, int s) {
    PerSubsystem& partner = partners_[index(s)];
    const std::size_t m = partner.values.size();
    const auto doubts = std::span(partner.distances).last(partner.expected.size());
    for (std::size_t k = 0; k < doubts.size(); ++k) {
        const std::size_t first = k / m * m;
        doubts[k] = (k < m ? 1.0 : deviation) *
                    product(partner.doubt, m, k % m, std::span(partner.expected).subspan(first, m));
    }
    if (partner.rows() > 0 && m > 0)
        partner.least_squares.solve(partner.distances, partner.changes);
    for (std::size_t i = 0; i < m; ++i) {
        const double nominal = size_of(system.at(s).interface().inputs[i].nominal);
        partner.values[i] = system.inputs_of(s)[i] + nominal * partner.changes[i];
        if (partner.order > 0) partner.slopes[i] = nominal * partner.changes[m + i] / h_;
    }
}

InputCourse InputOptimisation::course(int s) const {
    const PerSubsystem& partner = partners_[index(s)];
    return {partner.values, partner.slopes, partner.order};
}

}  // namespace tandem::coupling
