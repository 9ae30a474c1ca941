#include "coupling/network/network_solver.hpp"

#include <klu.h>

#include <algorithm>
#include <vector>

#include "tandem/error.hpp"
#include "tandem/extend/index.hpp"

namespace tandem::coupling {
namespace {

/// Below this reciprocal growth of pivots, old pivots no longer suit new numbers.
constexpr double least_pivot_growth = 1e-8;

/// KLU knows no empty matrix: a network without states and outputs has the equation v = 0.
int equations(const NetworkModel& network) {
    return std::max(1, network.states() + network.outputs());
}

/// The matrix on (v, e), states and outputs, entry by entry and always in the same order:
///   v - gamma (A v + B K e) = r
///   -C v + e - D K e = 0
template <class Visit>
void visit_entries(const NetworkModel& network, double gamma, Visit visit) {
    const int n = network.states();
    for (int i = 0; i < equations(network); ++i) visit(i, i, 1.0);
    for (int s = 0; s < network.subsystems(); ++s) {
        const LinearModel& model = network.of(s);
        const int states = static_cast<int>(model.states.size());
        const int outputs = static_cast<int>(model.output_slopes.size());
        const int inputs = network.input_begin(s + 1) - network.input_begin(s);
        const int state = network.state_begin(s);
        const int output = n + network.output_begin(s);
        for (int j = 0; j < states; ++j) {
            for (int i = 0; i < states; ++i)
                visit(state + i, state + j, -gamma * model.a[index(j * states + i)]);
            for (int i = 0; i < outputs; ++i)
                visit(output + i, state + j, -model.c[index(j * outputs + i)]);
        }
        for (int j = 0; j < inputs; ++j)
            for (const NetworkModel::Source& source : network.sources(network.input_begin(s) + j)) {
                for (int i = 0; i < states; ++i)
                    visit(state + i, n + source.output,
                          -gamma * model.b[index(j * states + i)] * source.gain);
                for (int i = 0; i < outputs; ++i)
                    visit(output + i, n + source.output,
                          -model.d[index(j * outputs + i)] * source.gain);
            }
    }
}

}  // namespace

struct NetworkSolver::Impl {
    klu_common common{};
    klu_symbolic* symbolic = nullptr;
    klu_numeric* numeric = nullptr;
    int size = 0, states = 0;
    std::vector<int> column_begin, rows;
    std::vector<std::size_t> places;  // of each visited entry
    std::vector<double> values, solution;

    Impl() { klu_defaults(&common); }
    ~Impl() { release(); }
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

    void release() {
        klu_free_numeric(&numeric, &common);
        klu_free_symbolic(&symbolic, &common);
    }
    [[noreturn]] static void fail() {
        throw NumericsError(
            "the linear model of the network cannot be solved: its equations contradict each other "
            "or leave a value open; try another step, and look at the algebraic loops that `tandem "
            "graph` shows");
    }
};

NetworkSolver::NetworkSolver() : impl_(std::make_unique<Impl>()) {}
NetworkSolver::~NetworkSolver() = default;
NetworkSolver::NetworkSolver(NetworkSolver&&) noexcept = default;
NetworkSolver& NetworkSolver::operator=(NetworkSolver&&) noexcept = default;

void NetworkSolver::prepare(const NetworkModel& network) {
    Impl& own = *impl_;
    own.release();
    own.states = network.states();
    own.size = equations(network);
    std::vector<std::pair<int, int>> visited;  // column, row
    visit_entries(network, 1.0,
                  [&](int row, int column, double) { visited.emplace_back(column, row); });
    std::vector<std::pair<int, int>> entries = visited;
    std::ranges::sort(entries);
    entries.erase(std::ranges::unique(entries).begin(), entries.end());
    own.places.clear();
    for (const auto& entry : visited)
        own.places.push_back(
            static_cast<std::size_t>(std::ranges::lower_bound(entries, entry) - entries.begin()));
    own.column_begin.assign(index(own.size) + 1, 0);
    own.rows.clear();
    for (const auto& [column, row] : entries) {
        ++own.column_begin[index(column) + 1];
        own.rows.push_back(row);
    }
    for (std::size_t j = 0; j < index(own.size); ++j)
        own.column_begin[j + 1] += own.column_begin[j];
    own.values.resize(entries.size());
    own.solution.resize(index(own.size));
    own.symbolic = klu_analyze(own.size, own.column_begin.data(), own.rows.data(), &own.common);
    if (own.symbolic == nullptr) Impl::fail();
}

void NetworkSolver::factor(const NetworkModel& network, double gamma) {
    Impl& own = *impl_;
    std::ranges::fill(own.values, 0.0);
    auto place = own.places.begin();
    visit_entries(network, gamma, [&](int, int, double value) { own.values[*place++] += value; });
    int* const begins = own.column_begin.data();
    int* const rows = own.rows.data();
    if (own.numeric != nullptr) {
        const bool refactored = klu_refactor(begins, rows, own.values.data(), own.symbolic,
                                             own.numeric, &own.common) != 0;
        const bool suits = refactored &&
                           klu_rgrowth(begins, rows, own.values.data(), own.symbolic, own.numeric,
                                       &own.common) != 0 &&
                           own.common.rgrowth >= least_pivot_growth;
        if (suits) return;
        klu_free_numeric(&own.numeric, &own.common);
    }
    own.numeric = klu_factor(begins, rows, own.values.data(), own.symbolic, &own.common);
    if (own.numeric == nullptr) Impl::fail();
}

void NetworkSolver::solve(std::span<const double> r, std::span<double> v) {
    Impl& own = *impl_;
    std::ranges::fill(own.solution, 0.0);
    std::ranges::copy(r, own.solution.begin());
    klu_solve(own.symbolic, own.numeric, own.size, 1, own.solution.data(), &own.common);
    std::copy_n(own.solution.begin(), own.states, v.begin());
}

}  // namespace tandem::coupling
