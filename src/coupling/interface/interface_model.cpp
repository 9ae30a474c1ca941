#include "coupling/interface/interface_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/names.hpp"
#include "tandem/error.hpp"

namespace tandem::coupling {
namespace {

/// Of the size of an input: small against what bends, large against rounding.
constexpr double relative_change = 1e-5;

std::size_t at(Eigen::Index i) { return static_cast<std::size_t>(i); }

Eigen::Map<const Eigen::VectorXd> view(std::span<const double> values) {
    return {values.data(), std::ssize(values)};
}

Eigen::VectorXd nominals_of(const std::vector<Port>& ports) {
    Eigen::VectorXd nominals(std::ssize(ports));
    for (std::size_t i = 0; i < ports.size(); ++i)
        nominals[static_cast<Eigen::Index>(i)] =
            ports[i].nominal == 0.0 ? 1.0 : std::abs(ports[i].nominal);
    return nominals;
}

Eigen::Index position(const std::vector<Port>& ports, const std::string& name) {
    return std::ranges::find(ports, name, &Port::name) - ports.begin();
}

[[noreturn]] void refuse(const GivenJacobian& given, const GivenJacobian::Entry& entry,
                         const std::string& name, std::vector<std::string> names) {
    const bool is_rate = &name == &entry.output;
    throw InputError(
        entry.place,
        fmt::format("interface_jacobian of '{}': there is no connected {} '{}'", given.subsystem,
                    is_rate ? "output" : "output or input", name),
        did_you_mean(name, names, fmt::format("connected are {}", fmt::join(names, ", "))));
}

std::vector<std::string> names_of(const std::vector<Port>& ports) {
    std::vector<std::string> names;
    for (const Port& port : ports) names.push_back(port.name);
    return names;
}

}  // namespace

InterfaceSource InterfaceModel::source_of(const Subsystem& subsystem, InterfaceSource wanted,
                                          const GivenJacobian* given) {
    const Interface& interface = subsystem.interface();
    const bool is_possible = !interface.outputs.empty() && !interface.inputs.empty();
    const bool goes_back = InterfaceDifferences::can_be_used(interface.capabilities);
    switch (wanted) {
        case InterfaceSource::slopes: break;
        case InterfaceSource::given:
            if (given != nullptr) return wanted;
            break;
        case InterfaceSource::differences:
            if (is_possible && goes_back) return wanted;
            break;
        case InterfaceSource::identified:
            if (is_possible) return wanted;
            break;
        case InterfaceSource::automatic:
            if (given != nullptr) return InterfaceSource::given;
            if (is_possible && goes_back) return InterfaceSource::differences;
            break;
    }
    return InterfaceSource::slopes;
}

void InterfaceModel::prepare(const System& system, int s, InterfaceSource source,
                             LinearModel& model) {
    subsystem_ = s;
    source_ = source;
    const Interface& interface = system.at(s).interface();
    const bool has_states = source != InterfaceSource::slopes;
    model.resize(has_states ? interface.outputs.size() : 0, interface.inputs.size(),
                 interface.outputs.size());
    tells_slopes_ = interface.capabilities.output_derivatives > 0;
    reads_feed_through_ = source == InterfaceSource::differences && !interface.feed_through.empty();
    outputs_ = std::ssize(interface.outputs);
    inputs_ = std::ssize(interface.inputs);
    feed_through_.setZero(outputs_, inputs_);
    probed_inputs_.resize(at(inputs_));
    for (auto* values : {&first_outputs_, &probed_outputs_, &told_}) values->resize(at(outputs_));
    for (auto* vector : {&rates_, &change_}) vector->setZero(outputs_);
    for (auto* vector : {&jump_, &slope_, &means_, &input_change_}) vector->setZero(inputs_);
    Kept kept;
    for (auto* vector : {&kept.y, &kept.slopes}) vector->setZero(outputs_);
    for (auto* vector : {&kept.u, &kept.course, &kept.course_slope}) vector->setZero(inputs_);
    if (has_states) prepare_source(interface, kept);
    past_.fill(kept);
    reset_history();
}

void InterfaceModel::prepare_source(const Interface& interface, Kept& kept) {
    nominals_ = nominals_of(interface.outputs);
    goes_back_ = source_ != InterfaceSource::identified &&
                 InterfaceDifferences::can_be_used(interface.capabilities);
    model_.prepare(outputs_, inputs_);
    differences_.prepare(interface);
    phi_.setZero(outputs_, outputs_);
    gamma_.setZero(outputs_, inputs_);
    if (source_ != InterfaceSource::identified) return;
    identification_.prepare(nominals_, nominals_of(interface.inputs));
    kept.known = learnt_ = identification_.nothing();
    used_ = learnt_.is_trusted;
    doubt_ = learnt_.doubt;
}

void InterfaceModel::take(const Interface& interface, const GivenJacobian& given) {
    Eigen::MatrixXd a = Eigen::MatrixXd::Zero(outputs_, outputs_);
    Eigen::MatrixXd b = Eigen::MatrixXd::Zero(outputs_, inputs_);
    for (const GivenJacobian::Entry& entry : given.entries) {
        const Eigen::Index row = position(interface.outputs, entry.output);
        std::vector<std::string> names = names_of(interface.outputs);
        if (row == outputs_) refuse(given, entry, entry.output, std::move(names));
        const Eigen::Index output = position(interface.outputs, entry.by);
        const Eigen::Index input = position(interface.inputs, entry.by);
        if (output < outputs_) {
            a(row, output) = entry.value;
        } else if (input < inputs_) {
            b(row, input) = entry.value;
        } else {
            for (const Port& port : interface.inputs) names.push_back(port.name);
            refuse(given, entry, entry.by, std::move(names));
        }
    }
    model_.set({a.data(), at(a.size())}, {b.data(), at(b.size())});
}

/// How outputs answer to inputs is mostly the same behind a discontinuity.
void InterfaceModel::reset_history() {
    if (source_ == InterfaceSource::identified && !past_.is_empty()) {
        learnt_ = past_.newest().known;
        InterfaceIdentification::forget_last_step(learnt_);
    }
    past_.clear();
    last_ = nullptr;
}

void InterfaceModel::read(System& system, Interval interval, LinearModel& model,
                          LinearParts parts) {
    if (parts == LinearParts::all) read_feed_through(system, model);
    remember(system, interval.begin);
    find_slopes(system);
    if (source_ == InterfaceSource::slopes) {
        std::copy_n(past_.newest().slopes.data(), outputs_, model.output_slopes.begin());
        return;
    }
    recall_course();
    if (source_ == InterfaceSource::given) read_given(system, interval);
    if (source_ == InterfaceSource::differences) read_differences(system, interval, parts);
    if (source_ == InterfaceSource::identified) read_identified(parts);
    write(model);
}

void InterfaceModel::read_feed_through(System& system, LinearModel& model) {
    if (!reads_feed_through_) return;
    find_feed_through(system);
    std::copy_n(feed_through_.data(), feed_through_.size(), model.d.begin());
}

void InterfaceModel::find_feed_through(System& system) {
    Subsystem& subsystem = system.at(subsystem_);
    const std::span<const double> inputs = system.inputs_of(subsystem_);
    subsystem.get_outputs(first_outputs_);
    std::ranges::copy(inputs, probed_inputs_.begin());
    for (Eigen::Index i = 0; i < inputs_; ++i) {
        double& input = probed_inputs_[at(i)];
        const double nominal = subsystem.interface().inputs[at(i)].nominal;
        input += relative_change * std::max(std::abs(input), std::abs(nominal));
        const double change = input - inputs[at(i)];
        subsystem.set_inputs({.values = probed_inputs_});
        subsystem.get_outputs(probed_outputs_);
        feed_through_.col(i) = (view(probed_outputs_) - view(first_outputs_)) / change;
        input = inputs[at(i)];
    }
    subsystem.set_inputs({.values = probed_inputs_});
}

void InterfaceModel::remember(System& system, double t) {
    last_ = past_.before(t);
    Kept& now = past_.add();
    now.t = t;
    now.y = view(system.outputs_of(subsystem_));
    now.u = view(system.inputs_of(subsystem_));
    now.has_course = false;
}

bool InterfaceModel::read_output_derivatives(System& system) {
    return tells_slopes_ && system.at(subsystem_).get_output_derivatives(1, told_);
}

/// Those of the last step are without what inputs do directly.
void InterfaceModel::find_slopes(System& system) {
    Kept& now = past_.newest();
    is_told_ = read_output_derivatives(system);
    if (is_told_) {
        now.slopes = view(told_);
    } else if (last_ == nullptr) {
        now.slopes.setZero();
    } else {
        find_change(*last_, now);
        now.slopes = change_ / (now.t - last_->t);
    }
}

/// Of outputs, without what inputs do directly.
void InterfaceModel::find_change(const Kept& last, const Kept& now) {
    change_ = now.y - last.y;
    input_change_ = now.u - last.u;
    change_.noalias() -= feed_through_ * input_change_;
}

/// The inputs of the last step, as a straight line. Of a course that nobody told, the ends are
/// known.
void InterfaceModel::recall_course() {
    Kept& now = past_.newest();
    if (last_ == nullptr) {
        if (source_ == InterfaceSource::identified) now.known = learnt_;
        return;
    }
    if (last_->has_course) {
        jump_ = last_->course - last_->u;
        slope_ = last_->course_slope;
    } else {
        jump_.setZero();
        slope_ = (now.u - last_->u) / (now.t - last_->t);
    }
    if (source_ == InterfaceSource::identified) learn(*last_, now);
}

void InterfaceModel::learn(const Kept& last, Kept& now) {
    const double length = now.t - last.t;
    now.known = last.known;
    means_ = last.u + jump_ + 0.5 * length * slope_;
    find_change(last, now);
    identification_.learn({length, now.y, change_, means_, slope_, last.slopes, now.u}, now.known);
}

void InterfaceModel::keep_course(const InputCourse& course, double length) {
    if (past_.is_empty()) return;
    Kept& now = past_.newest();
    now.has_course = course.law == nullptr;
    if (!now.has_course) return;
    now.course = view(course.values);
    now.course_slope.setZero();
    // The nearest straight line to each power: tau^2/2 -> (h/2) tau - h^2/12,
    // tau^3/6 -> (3 h^2/20) tau - h^3/30.
    constexpr double slopes[] = {1.0, 1.0 / 2.0, 3.0 / 20.0};
    constexpr double values[] = {0.0, -1.0 / 12.0, -1.0 / 30.0};
    double power = 1.0;
    for (std::size_t k = 0; k < std::min<std::size_t>(at(course.order), 3); ++k) {
        const auto derivative = view(course.derivatives.subspan(k * at(inputs_), at(inputs_)));
        now.course += values[k] * power * length * derivative;
        now.course_slope += slopes[k] * power * derivative;
        power *= length;
    }
}

void InterfaceModel::read_given(System& system, Interval interval) {
    if (goes_back_ && differences_.read_rates(system, subsystem_, interval, model_))
        rates_ = differences_.rates();
    else
        find_rates();
}

void InterfaceModel::find_rates() {
    if (last_ != nullptr && !is_told_)
        find_rates_from_last_step();
    else
        rates_ = past_.newest().slopes;
}

/// What the last step came to says what the rates were at its start, and the model how they have
/// changed since.
void InterfaceModel::find_rates_from_last_step() {
    const Kept& now = past_.newest();
    change_ = now.slopes * (now.t - last_->t);
    model_.find_rates({change_, jump_, slope_}, now.t - last_->t, rates_);
    rates_.noalias() += model_.a() * change_;
    jump_ = now.u - last_->u;
    rates_.noalias() += model_.b() * jump_;
}

void InterfaceModel::read_differences(System& system, Interval interval, LinearParts parts) {
    const bool is_found =
        parts == LinearParts::all && differences_.read(system, subsystem_, interval, model_);
    if (!is_found) {
        if (parts == LinearParts::all) model_.set_zero();
        if (!differences_.read_rates(system, subsystem_, interval, model_)) {
            rates_ = past_.newest().slopes;
            return;
        }
    }
    rates_ = differences_.rates();
}

void InterfaceModel::read_identified(LinearParts parts) {
    if (parts == LinearParts::all) {
        used_ = past_.newest().known.is_trusted;
        doubt_ = past_.newest().known.doubt;
        if (used_.any() && !find_identified()) used_ = false;
        if (!used_.any()) model_.set_zero();
    }
    find_rates();
    ++readings_;
    if (!used_.any()) ++unused_;
}

/// Noise may leave no continuous model of what dies out within a step. Then a model on the way to
/// that of slopes does, which errs less than slopes as well.
bool InterfaceModel::find_identified() {
    const InterfaceIdentification::Known& known = past_.newest().known;
    return std::ranges::any_of(std::array{1.0, 0.9, 0.7, 0.4}, [&](double part) {
        identification_.model(known, part, phi_, gamma_);
        return model_.find(phi_, gamma_, known.length);
    });
}

bool InterfaceModel::is_outdated() {
    return source_ == InterfaceSource::identified && !past_.is_empty() &&
           (used_ != past_.newest().known.is_trusted).any();
}

void InterfaceModel::write(LinearModel& model) {
    const auto copy = [](const auto& from, std::vector<double>& to) {
        std::copy_n(from.data(), to.size(), to.begin());
    };
    std::ranges::fill(model.rate_slopes, 0.0);
    std::ranges::fill(model.output_slopes, 0.0);
    copy(past_.newest().y, model.states);
    copy(nominals_, model.nominals);
    copy(rates_, model.rates);
    copy(model_.a(), model.a);
    copy(model_.b(), model.b);
    std::ranges::fill(model.c, 0.0);
    for (Eigen::Index k = 0; k < outputs_; ++k) model.c[at(k * outputs_ + k)] = 1.0;
}

std::string InterfaceModel::note() const {
    switch (source_) {
        case InterfaceSource::differences:
            return fmt::format(
                "no linear model: {} short steps find one at each reading of Jacobians",
                differences_.steps_of_reading());
        case InterfaceSource::identified:
            return "no linear model: one is learnt from the steps, and until that "
                   "predicts them, outputs are expected to go on with their slope";
        case InterfaceSource::given: return {};
        default: return "no linear model: outputs are expected to go on with their slope";
    }
}

std::string InterfaceModel::warning() const {
    if (source_ == InterfaceSource::differences) return warning_of_differences();
    if (source_ != InterfaceSource::identified || 2 * unused_ < readings_) return {};
    return fmt::format(
        "the model identified from its steps was used in {} of {} steps; in the others it did not "
        "predict outputs better than their slopes, by which they were expected to go on\n  hint: "
        "connect more of its outputs (speeds as well as positions), or use shorter steps of one "
        "length",
        readings_ - unused_, readings_);
}

bool InterfaceModel::falls_back() const {
    if (source_ == InterfaceSource::differences)
        return 2 * differences_.failures() > differences_.readings();
    return source_ == InterfaceSource::identified && 2 * unused_ > readings_;
}

std::string InterfaceModel::warning_of_differences() const {
    using Failure = InterfaceDifferences::Failure;
    if (!falls_back()) return {};
    const std::string end =
        fmt::format("in {} of {} readings outputs were expected to go on with their slope",
                    differences_.failures(), differences_.readings());
    switch (differences_.failure()) {
        case Failure::moves_nothing:
            return fmt::format(
                "inputs do not move its outputs within a communication step; {}\n  hint: use "
                "longer "
                "steps, or interface = \"identified\"",
                end);
        case Failure::takes_too_long:
            return fmt::format(
                "its outputs answer to inputs after internal steps of {:.3g} s only; {}\n  hint: "
                "use "
                "communication steps of {:.3g} s or more, or interface = \"identified\"",
                differences_.internal_step(), end, differences_.shortest_interval());
        case Failure::does_not_complete:
            return fmt::format(
                "short steps from its saved state do not complete; {}\n  hint: use interface = "
                "\"identified\"",
                end);
        default:
            return fmt::format(
                "its outputs do not answer to inputs like states of a linear model; {}\n  hint: "
                "connect more of its outputs (speeds as well as positions), or use another "
                "coupling",
                end);
    }
}

}  // namespace tandem::coupling
