#include "coupling/network/neighbour_law.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tandem/extend/index.hpp"

namespace tandem::coupling {
namespace {

Eigen::Map<const Eigen::VectorXd> view(std::span<const double> values) {
    return {values.data(), std::ssize(values)};
}

Eigen::Map<const Eigen::MatrixXd> view(const std::vector<double>& values, Eigen::Index rows,
                                       Eigen::Index columns) {
    return {values.data(), rows, columns};
}

/// Up to this many unknowns, plain elimination costs less than factors made for large ones.
constexpr Eigen::Index few = 8;

/// right = matrix^-1 right by Gauss's elimination with row exchanges; the matrix is used up.
void eliminate(Eigen::MatrixXd& matrix, Eigen::MatrixXd& right) {
    const Eigen::Index n = matrix.rows(), columns = right.cols();
    for (Eigen::Index k = 0; k < n; ++k) {
        Eigen::Index pivot = k;
        for (Eigen::Index i = k + 1; i < n; ++i)
            if (std::abs(matrix(i, k)) > std::abs(matrix(pivot, k))) pivot = i;
        if (pivot != k) {
            for (Eigen::Index j = k; j < n; ++j) std::swap(matrix(k, j), matrix(pivot, j));
            for (Eigen::Index j = 0; j < columns; ++j) std::swap(right(k, j), right(pivot, j));
        }
        for (Eigen::Index i = k + 1; i < n; ++i) {
            const double factor = matrix(i, k) / matrix(k, k);
            for (Eigen::Index j = k + 1; j < n; ++j) matrix(i, j) -= factor * matrix(k, j);
            for (Eigen::Index j = 0; j < columns; ++j) right(i, j) -= factor * right(k, j);
        }
    }
    for (Eigen::Index j = 0; j < columns; ++j)
        for (Eigen::Index i = n - 1; i >= 0; --i) {
            for (Eigen::Index k = i + 1; k < n; ++k) right(i, j) -= matrix(i, k) * right(k, j);
            right(i, j) /= matrix(i, i);
        }
}

}  // namespace

NeighbourLaw::NeighbourLaw(const NetworkModel& network, int s, NeighbourLawOptions options)
    : network_(network), s_(s), options_(options) {
    find_neighbours();
    const Eigen::Index inputs = network.input_begin(s + 1) - network.input_begin(s);
    const Eigen::Index outputs = network.output_begin(s + 1) - network.output_begin(s);
    for (auto* vector : {&inputs_, &steady_, &n_, &n_slope_, &change_, &result_})
        vector->setZero(inputs);
    e_.setZero(outputs);
    m_.setZero(inputs, outputs);
    direct_.setZero(inputs, outputs);
    square_.setZero(inputs, inputs);
    square_factors_ = Eigen::PartialPivLU<Matrix>(inputs);
}

void NeighbourLaw::find_neighbours() {
    const int first = network_.input_begin(s_);
    const int last = network_.input_begin(s_ + 1);
    std::vector<char> feeds(index(network_.subsystems()), 0);
    for (int input = first; input < last; ++input)
        for (const NetworkModel::Source& source : network_.sources(input))
            feeds[index(network_.subsystem_of_output(source.output))] = 1;
    const Eigen::Index own_outputs = network_.output_begin(s_ + 1) - network_.output_begin(s_);
    for (int o = 0; o < network_.subsystems(); ++o) {
        if (feeds[index(o)] == 0 || o == s_) continue;
        const Eigen::Index inputs = network_.input_begin(o + 1) - network_.input_begin(o);
        const Eigen::Index outputs = network_.output_begin(o + 1) - network_.output_begin(o);
        const auto states = std::ssize(network_.of(o).states);
        Neighbour neighbour;
        neighbour.subsystem = o;
        neighbour.to_it.setZero(inputs, own_outputs);
        neighbour.from_it.setZero(last - first, outputs);
        neighbour.seen.setZero(last - first, states);
        neighbour.shifted.setZero(states, states);
        neighbour.right.setZero(states, 2 + own_outputs);
        neighbour.solved = neighbour.right;
        neighbour.factors = Eigen::PartialPivLU<Matrix>(states);
        neighbour.other_slopes.setZero(inputs);
        neighbours_.push_back(std::move(neighbour));
    }
}

void NeighbourLaw::begin_step(Interval interval, std::span<const double> output_rates,
                              std::span<const double> inputs) {
    interval_ = interval;
    inputs_ = view(inputs);
    h_ = -1.0;
    const LinearModel& own = network_.of(s_);
    feeds_through_ = std::ranges::any_of(own.d, [](double d) { return d != 0.0; });
    steady_.setZero();
    direct_.setZero();
    const int first = network_.input_begin(s_);
    for (Eigen::Index i = 0; i < steady_.size(); ++i) {
        const int input = first + static_cast<int>(i);
        steady_[i] = network_.input_slope(input);
        for (const NetworkModel::Source& source : network_.sources(input))
            if (network_.subsystem_of_output(source.output) == s_)
                direct_(i, source.output - network_.output_begin(s_)) += source.gain;
    }
    for (Neighbour& neighbour : neighbours_) begin_neighbour(neighbour, output_rates);
}

void NeighbourLaw::begin_neighbour(Neighbour& neighbour, std::span<const double> output_rates) {
    const int o = neighbour.subsystem;
    const LinearModel& model = network_.of(o);
    const auto states = neighbour.shifted.rows();
    const auto inputs = neighbour.to_it.rows();
    const auto outputs = neighbour.from_it.cols();
    neighbour.from_it.setZero();
    for (Eigen::Index i = 0; i < steady_.size(); ++i)
        for (const auto& source : network_.sources(network_.input_begin(s_) + static_cast<int>(i)))
            if (network_.subsystem_of_output(source.output) == o)
                neighbour.from_it(i, source.output - network_.output_begin(o)) += source.gain;
    neighbour.to_it.setZero();
    for (Eigen::Index i = 0; i < inputs; ++i) {
        const int input = network_.input_begin(o) + static_cast<int>(i);
        neighbour.other_slopes[i] = network_.input_slope(input);
        for (const NetworkModel::Source& source : network_.sources(input))
            if (network_.subsystem_of_output(source.output) == s_)
                neighbour.to_it(i, source.output - network_.output_begin(s_)) += source.gain;
            else
                neighbour.other_slopes[i] += source.gain * output_rates[index(source.output)];
    }
    const auto b = view(model.b, states, inputs);
    const auto d = view(model.d, outputs, inputs);
    const double theta = options_.theta;
    neighbour.seen.noalias() = neighbour.from_it.lazyProduct(view(model.c, outputs, states));
    neighbour.right.col(0) = view(model.rates);
    neighbour.right.col(1).noalias() = b.lazyProduct(neighbour.other_slopes);
    neighbour.right.col(1) = theta * (neighbour.right.col(1) + view(model.rate_slopes));
    neighbour.right.rightCols(e_.size()).noalias() = theta * b.lazyProduct(neighbour.to_it);
    for (Eigen::Index i = 0; i < steady_.size(); ++i)
        for (Eigen::Index k = 0; k < outputs; ++k) {
            const double gain = neighbour.from_it(i, k);
            if (gain == 0.0) continue;
            steady_[i] += gain * (model.output_slopes[static_cast<std::size_t>(k)] +
                                  d.row(k).dot(neighbour.other_slopes));
            direct_.row(i).noalias() += gain * d.row(k).lazyProduct(neighbour.to_it);
        }
}

/// M(h), n(h), n'(h) of what the neighbours' states do.
void NeighbourLaw::use_length(double h) const {
    if (h == h_) return;
    h_ = h;
    m_.setZero();
    n_.setZero();
    n_slope_.setZero();
    for (Neighbour& neighbour : neighbours_) {
        const auto states = neighbour.shifted.rows();
        if (states == 0) continue;
        neighbour.shifted =
            -options_.theta * h * view(network_.of(neighbour.subsystem).a, states, states);
        neighbour.shifted.diagonal().array() += 1.0;
        if (states <= few) {
            neighbour.solved = neighbour.right;
            eliminate(neighbour.shifted, neighbour.solved);
        } else {
            neighbour.factors.compute(neighbour.shifted);
            neighbour.solved = neighbour.factors.solve(neighbour.right);
        }
        n_.noalias() += neighbour.seen.lazyProduct(neighbour.solved.col(0));
        n_slope_.noalias() += neighbour.seen.lazyProduct(neighbour.solved.col(1));
        m_.noalias() += neighbour.seen.lazyProduct(neighbour.solved.rightCols(e_.size()));
    }
}

int NeighbourLaw::state_count() const {
    return options_.form == NeighbourForm::value ? 0 : static_cast<int>(inputs_.size());
}

void NeighbourLaw::start(std::span<double> own) const {
    std::copy_n(inputs_.data(), state_count(), own.begin());
}

/// What the states and time have changed of the outputs of s: C (x - x_k) + output_slopes h.
void NeighbourLaw::output_changes(double h, std::span<const double> states) const {
    const LinearModel& own = network_.of(s_);
    e_ = h * view(own.output_slopes);
    for (std::size_t j = 0; j < states.size(); ++j)
        e_ +=
            (states[j] - own.states[j]) *
            view(std::span(own.c).subspan(j * own.output_slopes.size(), own.output_slopes.size()));
}

/// value: u - u_k = L e + h (n + h n' + steady) with L = h M + N and e = C (x - x_k) + D (u - u_k)
void NeighbourLaw::evaluate(const LawPoint& point, std::span<double> inputs) const {
    Eigen::Map<Vector> result(inputs.data(), std::ssize(inputs));
    if (options_.form != NeighbourForm::value) {
        result = view(point.own.first(inputs.size()));
        return;
    }
    const double h = point.t - interval_.begin + remainder();
    use_length(h);
    output_changes(h, point.states);
    result_ = h * (n_ + h * n_slope_ + steady_);
    result_.noalias() += h * m_.lazyProduct(e_);
    result_.noalias() += direct_.lazyProduct(e_);
    if (feeds_through_) {
        const auto d = view(network_.of(s_).d, e_.size(), inputs_.size());
        square_.noalias() = -h * m_.lazyProduct(d);
        square_.noalias() -= direct_.lazyProduct(d);
        square_.diagonal().array() += 1.0;
        square_factors_.compute(square_);
        change_ = square_factors_.solve(result_);
        result = inputs_ + change_;
        return;
    }
    result = inputs_ + result_;
}

/// derivative, frozen: u' = M e + n + h n' + steady + N e' with e = C (x - x_k) + D (u - u_k) and
/// e' = C x' + output_slopes + D u'
void NeighbourLaw::rates(const LawPoint& point, std::span<const double> state_rates,
                         std::span<double> own_rates) const {
    if (options_.form == NeighbourForm::value) return;
    const LinearModel& own = network_.of(s_);
    const double h = point.t - interval_.begin + remainder();
    use_length(options_.form == NeighbourForm::frozen ? interval_.length() : h);
    const auto d = view(own.d, e_.size(), inputs_.size());
    output_changes(h, point.states);
    if (feeds_through_) {
        change_ = view(point.own.first(index(state_count()))) - inputs_;
        e_.noalias() += d.lazyProduct(change_);
    }
    result_ = n_ + h * n_slope_ + steady_;
    result_.noalias() += m_.lazyProduct(e_);
    e_ = view(own.output_slopes);
    e_.noalias() += view(own.c, e_.size(), std::ssize(state_rates)).lazyProduct(view(state_rates));
    result_.noalias() += direct_.lazyProduct(e_);
    Eigen::Map<Vector> result(own_rates.data(), result_.size());
    if (feeds_through_) {
        square_.noalias() = -direct_.lazyProduct(d);
        square_.diagonal().array() += 1.0;
        square_factors_.compute(square_);
        result = square_factors_.solve(result_);
        return;
    }
    result = result_;
}

}  // namespace tandem::coupling
