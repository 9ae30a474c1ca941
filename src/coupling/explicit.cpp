#include "coupling/explicit.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace tandem::coupling {
namespace {

std::size_t index(int i) { return static_cast<std::size_t>(i); }

/// The point j/n of the interval; exactly its ends for j = 0 and j = n.
double point(Interval interval, int j, int n) {
    if (j == n) return interval.end;
    return interval.begin + interval.length() * j / n;
}

}  // namespace

std::vector<int> sequence_from_graph(const System& system) {
    std::vector<int> sequence;
    for (const auto& members : strongly_connected_components(system.subsystem_graph()).members)
        sequence.insert(sequence.end(), members.begin(), members.end());
    return sequence;
}

void Explicit::prepare(System& system) {
    order_ = std::max(options_.order, options_.smooth ? 1 : 0);
    sequence_ = options_.sequence.empty() ? sequence_from_graph(system) : options_.sequence;
    feeds_ = std::vector<Feed>(index(system.size()));
    reached_.assign(feeds_.size(), 0.0);
    ticks_ = 1;
    std::size_t most_outputs = 0;
    for (int s = 0; s < system.size(); ++s) {
        size_feed(system, s);
        ticks_ = std::max(ticks_, feeds_[index(s)].ratio);
        most_outputs = std::max(most_outputs, system.outputs_of(s).size());
    }
    for (const Feed& feed : feeds_)
        expects(ticks_ % feed.ratio == 0, "every step ratio divides the largest one");
    work_.resize(most_outputs);
}

void Explicit::size_feed(System& system, int s) {
    Feed& feed = feeds_[index(s)];
    const std::size_t inputs = system.inputs_of(s).size();
    if (!options_.ratios.empty()) feed.ratio = options_.ratios[index(s)];
    feed.accepted_order = system.at(s).interface().capabilities.input_derivatives;
    feed.history.prepare(static_cast<int>(inputs), options_.order);
    for (Course* course : {&feed.course, &feed.last}) {
        course->values.resize(inputs);
        course->derivatives.resize(inputs * index(order_));
    }
    for (std::size_t i = 0; i < inputs; ++i)
        feed.links.push_back(system.link_into(system.input_begin(s) + static_cast<int>(i)));
}

// One macro step has `ticks_` ticks; a subsystem of ratio r begins a step every ticks_/r of them
// and ends it that much later. Its outputs change only when a step ends, so within a tick all
// beginnings come first and everybody sees the same communication point.
StepResult Explicit::advance(System& system, Interval interval) {
    for (int tick = 0; tick < ticks_; ++tick) {
        for (const int s : sequence_) {
            const int length = ticks_ / feeds_[index(s)].ratio;
            if (tick % length == 0)
                begin_step(system, s,
                           {point(interval, tick, ticks_), point(interval, tick + length, ticks_)});
        }
        for (const int s : sequence_) {
            const int length = ticks_ / feeds_[index(s)].ratio;
            if ((tick + 1) % length != 0) continue;
            if (const StepResult result = end_step(system, s); !result) return result;
        }
    }
    return {Outcome::complete, interval.end};
}

void Explicit::forget() {
    for (Feed& feed : feeds_) {
        feed.history.clear();
        feed.has_last = false;
    }
}

void Explicit::begin_step(System& system, int s, Interval interval) {
    Feed& feed = feeds_[index(s)];
    reached_[index(s)] = interval.begin;
    feed.interval = interval;
    system.route_to(s, interval.begin);
    feed.history.add(interval.begin, system.inputs_of(s));
    if (options_.order > 0 && feed.history.samples() == 1) find_first_slope(system, feed);
}

/// Without a past, the slope of an input is that of the output that feeds it, where all offer one.
void Explicit::find_first_slope(System& system, Feed& feed) {
    const auto slope = std::span(feed.course.derivatives).first(feed.links.size());
    for (std::size_t i = 0; i < slope.size(); ++i) {
        if (feed.links[i] == nullptr) return;
        const Link& link = *feed.links[i];
        const int source = system.subsystem_of_output(link.output);
        if (system.at(source).interface().capabilities.output_derivatives < 1) return;
        const auto outputs = std::span(work_).first(system.outputs_of(source).size());
        system.at(source).get_output_derivatives(1, outputs);
        slope[i] = link.gain * outputs[index(link.output - system.output_begin(source))];
    }
    feed.history.set_first_slope(slope);
}

StepResult Explicit::end_step(System& system, int s) {
    Feed& feed = feeds_[index(s)];
    shape_course(feed);
    if (options_.sweep == Sweep::gauss_seidel) read_fresh_inputs(system, s);
    if (options_.smooth) continue_smoothly(feed);
    const StepResult result = system.step(s, feed.interval, offer(feed));
    if (result) reached_[index(s)] = result.reached;
    return result;
}

void Explicit::shape_course(Feed& feed) {
    feed.course.begin = feed.interval.begin;
    std::ranges::copy(feed.history.value(), feed.course.values.begin());
    std::ranges::fill(feed.course.derivatives, 0.0);
    feed.history.derivatives(feed.course.derivatives);
}

/// Some sources may have reached the end of the step already. With order 0 what they say now is
/// held; otherwise the polynomial ends there.
void Explicit::read_fresh_inputs(System& system, int s) {
    Feed& feed = feeds_[index(s)];
    system.route_to(s, feed.interval.begin);
    const auto inputs = system.inputs_of(s);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (options_.order == 0) {
            feed.course.values[i] = inputs[i];
        } else if (const Link* link = feed.links[i]; link != nullptr) {
            const int source = system.subsystem_of_output(link->output);
            if (reached_[index(source)] < feed.interval.end) continue;
            feed.history.derivatives_through(i, feed.interval.end, inputs[i],
                                             feed.course.derivatives);
        }
    }
}

double Explicit::Course::at(double t, std::size_t i) const {
    const double tau = t - begin;
    double value = values[i];
    double power = 1.0;  // tau^k / k!
    for (std::size_t k = 1; k * values.size() <= derivatives.size(); ++k) {
        power *= tau / static_cast<double>(k);
        value += derivatives[(k - 1) * values.size() + i] * power;
    }
    return value;
}

/// Begins where the last course has come to, and ends where the new one does:
///   u(t) = p(t) + (last(begin) - p(begin)) * (end - t) / h
void Explicit::continue_smoothly(Feed& feed) {
    for (std::size_t i = 0; feed.has_last && i < feed.course.values.size(); ++i) {
        const double last = feed.last.at(feed.interval.begin, i);
        feed.course.derivatives[i] += (feed.course.values[i] - last) / feed.interval.length();
        feed.course.values[i] = last;
    }
    feed.last = feed.course;
    feed.has_last = true;
}

InputCourse Explicit::offer(Feed& feed) {
    Course& course = feed.course;
    const int order = std::min(order_, feed.accepted_order);
    extrapolate::lower_order(course.values, course.derivatives, order_, order,
                             feed.interval.length());
    return {course.values, std::span(course.derivatives).first(index(order) * course.values.size()),
            order};
}

}  // namespace tandem::coupling
