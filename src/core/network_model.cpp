#include "core/network_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/times.hpp"
#include "numerics/loop_matrix.hpp"
#include "tandem/error.hpp"

namespace tandem {
namespace {

/// y += M x, M column-major.
void add_product(std::span<const double> matrix, std::span<const double> x, std::span<double> y) {
    const double* column = matrix.data();
    for (const double factor : x) {
        if (factor != 0.0)
            for (std::size_t i = 0; i < y.size(); ++i) y[i] += column[i] * factor;
        column += y.size();
    }
}

[[noreturn]] void refuse_loop(const System& system, const std::vector<int>& outputs) {
    constexpr std::size_t most_names = 6;
    std::string names;
    for (std::size_t i = 0; i < std::min(outputs.size(), most_names); ++i)
        names += (i > 0 ? ", " : "") + system.at(system.subsystem_of_output(outputs[i])).name() +
                 "." + system.output_port(outputs[i]).name;
    if (outputs.size() > most_names)
        names += " and " + std::to_string(outputs.size() - most_names) + " more";
    throw NumericsError("the algebraic loop through " + names +
                        " is singular: the connections determine these variables not at all or "
                        "more than once\n  hint: check the connections of the loop");
}

}  // namespace

struct NetworkModel::Loops {
    std::vector<numerics::LoopMatrix> of_block;  ///< empty ones for blocks that are no loops
};

NetworkModel::NetworkModel() : loops_(std::make_unique<Loops>()) {}
NetworkModel::~NetworkModel() = default;
NetworkModel::NetworkModel(NetworkModel&&) noexcept = default;
NetworkModel& NetworkModel::operator=(NetworkModel&&) noexcept = default;

void NetworkModel::prepare(const System& system, std::vector<LinearModel> models) {
    models_ = std::move(models);
    state_begin_ = output_begin_ = input_begin_ = {0};
    subsystem_of_output_.clear();
    for (int s = 0; s < system.size(); ++s) {
        const Interface& interface = system.at(s).interface();
        state_begin_.push_back(state_begin_.back() + static_cast<int>(of(s).states.size()));
        output_begin_.push_back(output_begin_.back() + static_cast<int>(interface.outputs.size()));
        input_begin_.push_back(input_begin_.back() + static_cast<int>(interface.inputs.size()));
        subsystem_of_output_.resize(index(output_begin_.back()), s);
    }
    prepare_sources(system);
    prepare_feed_through(system);
    slopes_at_point_ = sources_;
    input_slopes_at_point_ = input_slopes_;
    changes_.resize(index(states()));
    expected_ = make_signals();
}

NetworkModel::Signals NetworkModel::make_signals() const {
    return {std::vector<double>(index(outputs())),
            std::vector<double>(index(inputs())),
            std::vector<double>(2 * largest_loop_),
            {}};
}

void NetworkModel::prepare_sources(const System& system) {
    std::vector<std::vector<Source>> of_input(index(inputs()));
    for (const Link& link : system.links())
        of_input[index(link.input)].push_back({link.output, link.gain});
    for (const FunctionLink& function : system.functions())
        for (const int output : function.outputs)
            of_input[index(function.input)].push_back({output, 0.0});
    source_begin_ = {0};
    sources_.clear();
    for (const auto& sources : of_input) {
        sources_.insert(sources_.end(), sources.begin(), sources.end());
        source_begin_.push_back(sources_.size());
    }
    input_slopes_.assign(index(inputs()), 0.0);
}

/// Output -> output, one edge where a change of the first reaches the second within the instant.
void NetworkModel::prepare_feed_through(const System& system) {
    std::vector<std::vector<int>> inputs_of(index(outputs()));
    for (int s = 0; s < system.size(); ++s)
        for (const FeedThrough& feed : system.at(s).interface().feed_through)
            inputs_of[index(output_begin(s) + feed.output)].push_back(input_begin(s) + feed.input);
    std::vector<std::pair<int, int>> edges;
    for (int output = 0; output < outputs(); ++output)
        for (const int input : inputs_of[index(output)])
            for (const Source& source : sources(input)) edges.emplace_back(source.output, output);
    const numerics::Graph graph(outputs(), edges);
    blocks_.clear();
    rows_.clear();
    feeds_.clear();
    for (const auto& members : numerics::strongly_connected_components(graph).members) {
        if (inputs_of[index(members.front())].empty()) continue;
        blocks_.push_back({members, numerics::is_cycle(graph, members), rows_.size()});
        for (const int output : members) {
            FeedRow row{output, inputs_of[index(output)], feeds_.size(), 0, 0.0};
            for (const int input : row.inputs)
                feeds_.insert(feeds_.end(), sources(input).begin(), sources(input).end());
            row.end = feeds_.size();
            rows_.push_back(std::move(row));
        }
    }
    loops_->of_block.clear();
    largest_loop_ = 0;
    for (const FeedBlock& block : blocks_) {
        largest_loop_ = std::max(largest_loop_, block.outputs.size());
        const auto size = static_cast<Eigen::Index>(block.is_loop ? block.outputs.size() : 0);
        numerics::LoopMatrix& matrix = loops_->of_block.emplace_back();
        matrix.entries().setIdentity(size, size);
        if (block.is_loop) expects(matrix.factorise(), "I has an inverse");
    }
}

void NetworkModel::join(System& system, Interval interval) {
    join_functions(system, interval);
    join_signals(system);
}

void NetworkModel::join_signals(const System& system) {
    join_feed_through();
    for (std::size_t block = 0; block < blocks_.size(); ++block)
        if (blocks_[block].is_loop) join_loop(system, block);
}

/// With new slopes, signals that follow others directly change by another distance: twice.
void NetworkModel::limit_slopes(System& system, Interval interval) {
    if (system.functions().empty()) return;
    std::ranges::copy(sources_, slopes_at_point_.begin());
    std::ranges::copy(input_slopes_, input_slopes_at_point_.begin());
    for (int pass = 0; pass < 2; ++pass) {
        rates(changes_);
        for (double& change : changes_) change *= interval.length();
        signals(changes_, interval.length(), expected_);
        bool has_limited = false;
        for (const FunctionLink& function : system.functions())
            has_limited = limit_function(system, function, interval) || has_limited;
        if (!has_limited) return;
        join_signals(system);
    }
}

/// True: a slope became another.
bool NetworkModel::limit_function(System& system, const FunctionLink& function, Interval interval) {
    const FunctionNear near = function_near(system, function, interval.begin);
    const std::size_t first = source_begin_[index(function.input)];
    bool has_limited = false;
    const auto take = [&](double& slope, double limited) {
        has_limited = has_limited || slope != limited;
        slope = limited;
    };
    for (std::size_t i = 0; i < function.outputs.size(); ++i)
        take(sources_[first + i].gain, limited_slope(near, i, slopes_at_point_[first + i].gain,
                                                     expected_.e[index(function.outputs[i])]));
    take(
        input_slopes_[index(function.input)],
        limited_time_slope(near, input_slopes_at_point_[index(function.input)], interval.length()));
    return has_limited;
}

FunctionNear NetworkModel::function_near(System& system, const FunctionLink& function, double t) {
    const std::span<double> signals = system.signals_of(function);
    for (std::size_t i = 0; i < signals.size(); ++i)
        signals[i] = system.outputs()[index(function.outputs[i])];
    return {function, t, signals};
}

/// The partial derivatives of coupling functions.
void NetworkModel::join_functions(System& system, Interval interval) {
    const double t = interval.begin;
    const double later = t + width_of_difference(t, interval.length());
    for (const FunctionLink& function : system.functions()) {
        const FunctionNear near = function_near(system, function, t);
        Source* source = sources_.data() + source_begin_[index(function.input)];
        for (std::size_t i = 0; i < function.outputs.size(); ++i)
            source[i].gain = slope_of(near, i, system.output_port(function.outputs[i]).nominal);
        input_slopes_[index(function.input)] = (near.at(later) - near.value()) / (later - t);
    }
}

/// The products D K, D k of the rows.
void NetworkModel::join_feed_through() {
    for (FeedRow& row : rows_) {
        const int s = subsystem_of_output_[index(row.output)];
        const std::size_t outputs_of_s = index(output_begin(s + 1) - output_begin(s));
        std::size_t place = row.begin;
        row.slope = 0.0;
        for (const int input : row.inputs) {
            const double d = of(s).d[index(input - input_begin(s)) * outputs_of_s +
                                     index(row.output - output_begin(s))];
            for (const Source& source : sources(input))
                feeds_[place++] = {source.output, d * source.gain};
            row.slope += d * input_slopes_[index(input)];
        }
    }
}

void NetworkModel::join_loop(const System& system, std::size_t block) {
    const std::vector<int>& members = blocks_[block].outputs;
    Eigen::MatrixXd& matrix = loops_->of_block[block].entries();
    matrix.setIdentity();
    for (std::size_t i = 0; i < members.size(); ++i) {
        const FeedRow& row = rows_[blocks_[block].first_row + i];
        for (const Source& feed : std::span(feeds_).subspan(row.begin, row.end - row.begin)) {
            const auto member = std::ranges::lower_bound(members, feed.output);
            if (member != members.end() && *member == feed.output)
                matrix(static_cast<Eigen::Index>(i), member - members.begin()) -= feed.gain;
        }
    }
    if (!loops_->of_block[block].factorise() ||
        loops_->of_block[block].is_singular(numerics::difference_rounding))
        refuse_loop(system, members);
}

void NetworkModel::solve_loop(std::size_t block, std::span<const double> residuals,
                              std::span<double> changes) const {
    const auto size = std::ssize(residuals);
    loops_->of_block[block].solve(Eigen::Map<const Eigen::VectorXd>(residuals.data(), size),
                                  Eigen::Map<Eigen::VectorXd>(changes.data(), size));
}

const numerics::LoopMatrix& NetworkModel::loop_matrix(std::size_t block) const {
    return loops_->of_block[block];
}

double NetworkModel::fed(std::size_t row, std::span<const double> e) const {
    double sum = 0.0;
    for (std::size_t k = rows_[row].begin; k < rows_[row].end; ++k)
        sum += feeds_[k].gain * e[index(feeds_[k].output)];
    return sum;
}

/// The members hold what comes from states. What they add to each other is in the loop's matrix, so
/// they count as zero while the rest is gathered.
void NetworkModel::close_loop(std::size_t block, double s, Signals& signals) const {
    const std::size_t size = blocks_[block].outputs.size();
    const auto values = std::span(signals.loop).first(size);
    const auto solved = std::span(signals.loop).subspan(largest_loop_, size);
    const std::size_t first = blocks_[block].first_row;
    std::vector<double>& e = signals.e;
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = std::exchange(e[index(rows_[first + i].output)], 0.0);
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] += fed(first + i, e) + rows_[first + i].slope * s;
    solve_loop(block, values, solved);
    for (std::size_t i = 0; i < size; ++i) e[index(rows_[first + i].output)] = solved[i];
}

void NetworkModel::signals(std::span<const double> v, double s, Signals& result) const {
    std::vector<double>& e = result.e;
    for (int part = 0; part < subsystems(); ++part) {
        const LinearModel& model = of(part);
        const auto own =
            std::span(e).subspan(index(output_begin(part)), model.output_slopes.size());
        for (std::size_t i = 0; i < own.size(); ++i) own[i] = model.output_slopes[i] * s;
        add_product(model.c, v.subspan(index(state_begin(part)), model.states.size()), own);
        if (!result.extra.empty()) add_product(model.d, of_inputs(part, result.extra), own);
    }
    for (std::size_t block = 0; block < blocks_.size(); ++block) {
        const std::size_t row = blocks_[block].first_row;
        if (blocks_[block].is_loop)
            close_loop(block, s, result);
        else
            e[index(rows_[row].output)] += fed(row, e) + rows_[row].slope * s;
    }
    for (std::size_t input = 0; input < result.w.size(); ++input) {
        double& w = result.w[input];
        w = input_slopes_[input] * s + (result.extra.empty() ? 0.0 : result.extra[input]);
        for (std::size_t k = source_begin_[input]; k < source_begin_[input + 1]; ++k)
            w += sources_[k].gain * e[index(sources_[k].output)];
    }
}

void NetworkModel::apply(std::span<const double> v, double s, Signals& on_the_way,
                         std::span<double> dv) const {
    signals(v, s, on_the_way);
    for (int part = 0; part < subsystems(); ++part) {
        const LinearModel& model = of(part);
        const std::size_t n = model.states.size();
        const auto own = dv.subspan(index(state_begin(part)), n);
        for (std::size_t i = 0; i < n; ++i) own[i] = model.rate_slopes[i] * s;
        add_product(model.a, v.subspan(index(state_begin(part)), n), own);
        add_product(model.b, of_inputs(part, on_the_way.w), own);
    }
}

std::span<const double> NetworkModel::of_inputs(int s, std::span<const double> w) const {
    return w.subspan(index(input_begin(s)), index(input_begin(s + 1) - input_begin(s)));
}

void NetworkModel::rates(std::span<double> dv) const {
    for (int part = 0; part < subsystems(); ++part)
        std::ranges::copy(of(part).rates, dv.begin() + state_begin(part));
}

}  // namespace tandem
