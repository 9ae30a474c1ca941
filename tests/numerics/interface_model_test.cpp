// Subsystems that give no linear model: what their interfaces show of it.
#include "coupling/interface/interface_model.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "coupling/network/linearisation.hpp"
#include "coupling/network/stabilised.hpp"
#include "support/black_box.hpp"
#include "support/hidden_subsystem.hpp"
#include "support/linear_shapes.hpp"

namespace tandem {
namespace {

using coupling::InterfaceSource;
using coupling::Linearisation;
using coupling::LinearisationOptions;
using coupling::PredictedForm;
using coupling::Stabilised;
using coupling::StabilisedOptions;
using numerics::MatrixLogarithm;
using test::HiddenSubsystem;
using test::LinearPart;
using test::LinearSystem;
using test::MatrixXd;
using test::Shown;
using test::VectorXd;

TEST(MatrixLogarithm, is_the_inverse_of_the_exponential) {
    MatrixLogarithm logarithm;
    const MatrixXd slow{{-0.1, 0.2}, {-0.3, 0.05}};
    const MatrixXd turning{{0.0, 3.0}, {-3.0, -0.1}};  // nearly half a turn
    const MatrixXd stiff{{-12.0, 1.0}, {0.0, -0.01}};
    logarithm.prepare(2);
    for (const MatrixXd& matrix : {slow, turning, stiff}) {
        ASSERT_TRUE(logarithm.compute(test::exponential(matrix)));
        // Rounding counts exp(12) times where something has decayed that far.
        const double tolerance = matrix.minCoeff() < -10.0 ? 1e-9 : 1e-13;
        EXPECT_LT((logarithm.result() - matrix).cwiseAbs().maxCoeff(), tolerance) << matrix;
    }
}

TEST(MatrixLogarithm, says_where_there_is_none) {
    MatrixLogarithm logarithm;
    logarithm.prepare(2);
    EXPECT_FALSE(logarithm.compute(MatrixXd{{-1.0, 0.0}, {0.0, 0.5}}));
    EXPECT_FALSE(logarithm.compute(MatrixXd::Zero(2, 2)));
}

/// A mass on a spring and a damper, both of which go on to places and speeds of others; all is
/// seen. The constant is a weight.
LinearPart seen_mass(double k, double d) {
    LinearPart part;
    part.a = MatrixXd{{0.0, 1.0}, {-1.1 * k, -d}};
    part.b = MatrixXd{{0.0, 0.0}, {k, d}};
    part.c = MatrixXd::Identity(2, 2);
    part.d = MatrixXd::Zero(2, 2);
    part.f = VectorXd{{0.0, -9.81}};
    return part;
}
LinearSystem two_seen_masses() {
    return {{seen_mass(1000.0, 10.0), seen_mass(500.0, 8.0)},
            {{.output = 0, .input = 2},
             {.output = 1, .input = 3},
             {.output = 2, .input = 0},
             {.output = 3, .input = 1}}};
}
const VectorXd displaced = VectorXd{{0.1, 0.0, -0.05, 0.4}};

std::unique_ptr<System> hidden(const LinearSystem& linear, const VectorXd& start,
                               Shown shown = {}) {
    return linear.make(start, 1e-11, [shown](std::unique_ptr<Subsystem> subsystem) {
        return std::make_unique<HiddenSubsystem>(std::move(subsystem), shown);
    });
}

MatrixXd matrix(std::span<const double> values, Eigen::Index rows) {
    return Eigen::Map<const MatrixXd>(values.data(), rows, std::ssize(values) / rows);
}

/// Of the largest entry.
void expect_near(const MatrixXd& found, const MatrixXd& exact, double tolerance) {
    EXPECT_LT((found - exact).cwiseAbs().maxCoeff(), tolerance * exact.cwiseAbs().maxCoeff())
        << found << "\ninstead of\n"
        << exact;
}

LinearisationOptions from(InterfaceSource source) {
    LinearisationOptions options;
    options.interface = source;
    return options;
}

constexpr double h = 5e-3;

TEST(InterfaceModel, differences_find_the_jacobians_of_linear_subsystems) {
    const LinearSystem linear = two_seen_masses();
    const auto system = hidden(linear, displaced);
    Linearisation linearisation;
    linearisation.prepare(*system, from(InterfaceSource::differences));
    linearisation.begin_step(*system, {0.0, h});
    for (int s = 0; s < 2; ++s) {
        const LinearPart& part = linear.parts[static_cast<std::size_t>(s)];
        const LinearModel& model = linearisation.network().of(s);
        // Changes are a thousandth of what they are changes of, and solvers leave 1e-11 of that.
        expect_near(matrix(model.a, 2), part.a, 1e-5);
        expect_near(matrix(model.b, 2), part.b, 1e-5);
        expect_near(matrix(model.c, 2), part.c, 1e-15);
        EXPECT_EQ(matrix(model.d, 2), part.d);
        const VectorXd y = matrix(system->outputs_of(s), 2), u = matrix(system->inputs_of(s), 2);
        expect_near(matrix(model.rates, 2), part.a * y + part.b * u + part.f, 1e-6);
    }
}

TEST(InterfaceModel, differences_tell_direct_feed_through_from_what_comes_later) {
    LinearSystem linear = two_seen_masses();
    linear.parts[0].d = MatrixXd{{0.0, 0.0}, {0.3, -0.2}};
    const auto system = hidden(linear, displaced);
    Linearisation linearisation;
    linearisation.prepare(*system, from(InterfaceSource::differences));
    linearisation.begin_step(*system, {0.0, h});
    // y = x + D u, so y' = A (y - D u) + B u as long as u is held, and the model's states are x
    // but for a constant.
    const LinearModel& model = linearisation.network().of(0);
    expect_near(matrix(model.a, 2), linear.parts[0].a, 1e-5);
    expect_near(matrix(model.b, 2), linear.parts[0].b, 1e-5);
    expect_near(matrix(model.d, 2), linear.parts[0].d, 1e-9);
}

TEST(InterfaceModel, differences_leave_subsystems_as_they_were) {
    const LinearSystem linear = two_seen_masses();
    const auto probed = hidden(linear, displaced), plain = hidden(linear, displaced);
    Linearisation linearisation;
    linearisation.prepare(*probed, from(InterfaceSource::differences));
    for (int k = 0; k < 5; ++k) {
        const Interval interval{h * k, h * (k + 1)};
        linearisation.begin_step(*probed, interval);
        plain->route(interval.begin);
        for (System* system : {probed.get(), plain.get()})
            for (int s = 0; s < 2; ++s)
                ASSERT_TRUE(system->step(s, interval, {.values = system->inputs_of(s)}));
        for (std::size_t i = 0; i < 4; ++i)
            EXPECT_EQ(probed->outputs()[i], plain->outputs()[i]) << "step " << k;
    }
}

TEST(InterfaceModel, short_steps_are_counted_and_taken_when_jacobians_are_read) {
    const auto system = hidden(two_seen_masses(), displaced);
    Linearisation linearisation;
    LinearisationOptions options = from(InterfaceSource::differences);
    options.every = 3;
    linearisation.prepare(*system, options);
    const auto& subsystem = dynamic_cast<HiddenSubsystem&>(system->at(0));
    std::vector<long> steps;
    for (int k = 0; k < 4; ++k) {
        const Interval interval{h * k, h * (k + 1)};
        const long before = subsystem.steps();
        linearisation.begin_step(*system, interval);
        steps.push_back(subsystem.steps() - before);
        for (int s = 0; s < 2; ++s)
            ASSERT_TRUE(system->step(s, interval, {.values = system->inputs_of(s)}));
    }
    // Four from each of three starts, then one for the rates.
    EXPECT_EQ(steps, (std::vector<long>{12, 1, 1, 12}));
    ASSERT_EQ(linearisation.report(*system).iteration_statistics.size(), 2u);
    EXPECT_EQ(linearisation.report(*system).iteration_statistics[0].statistics[0].value, 26.0);
}

TEST(InterfaceModel, outputs_that_do_not_say_all_go_on_with_their_slope) {
    // The places of masses say nothing of their speeds.
    const auto system = hidden(test::chain(), VectorXd::Unit(8, 1));
    Linearisation linearisation;
    linearisation.prepare(*system, from(InterfaceSource::differences));
    constexpr double long_step = 0.05;
    linearisation.begin_step(*system, {0.0, long_step});
    const LinearModel& model = linearisation.network().of(0);
    EXPECT_EQ(model.a[0], 0.0);
    EXPECT_EQ(model.b[0], 0.0);
    // The slope is the mean speed over a short step, in which 0.7 percent of it get lost.
    EXPECT_NEAR(model.rates[0], 1.0, 1e-2);
}

/// A mass whose place and speed follow those of another one, which moves alone; with internal steps
/// of 10 ms. (An eighth of what it takes to swing to and fro: Runge-Kutta errs by 1e-5 in each.)
constexpr double internal_step = 0.01;
const LinearPart mass = seen_mass(100.0, 2.0);

std::unique_ptr<System> with_internal_steps() {
    const auto follow = [](double, const VectorXd& x, const VectorXd& u) -> VectorXd {
        return mass.a * x + mass.b * u;
    };
    const auto turn = [](double, const VectorXd& x, const VectorXd&) -> VectorXd {
        return VectorXd{{x[1], -x[0]}};
    };
    test::BlackBoxOptions options{.seen = 2,
                                  .output_sizes = VectorXd::Ones(2),
                                  .input_sizes = VectorXd::Ones(2),
                                  .internal_step = internal_step,
                                  .goes_back = true};
    std::vector<std::unique_ptr<Subsystem>> boxes;
    boxes.push_back(
        std::make_unique<test::BlackBox>("mass", follow, VectorXd{{0.1, 0.5}}, options));
    options.input_sizes.resize(0);
    boxes.push_back(
        std::make_unique<test::BlackBox>("source", turn, VectorXd{{1.0, 0.0}}, options));
    auto system = std::make_unique<System>(
        std::move(boxes), std::vector<Link>{{.output = 2, .input = 0}, {.output = 3, .input = 1}});
    for (int s = 0; s < 2; ++s) system->read_outputs(s);
    return system;
}

TEST(InterfaceModel, differences_find_internal_steps_of_a_fixed_length) {
    const auto system = with_internal_steps();
    Linearisation linearisation;
    linearisation.prepare(*system, from(InterfaceSource::differences));
    linearisation.begin_step(*system, {0.0, 5 * internal_step});
    const LinearModel& model = linearisation.network().of(0);
    // What is left is the error of the subsystem's own method.
    expect_near(matrix(model.a, 2), mass.a, 1e-3);
    expect_near(matrix(model.b, 2), mass.b, 1e-3);
    EXPECT_TRUE(linearisation.report(*system).warnings.empty());
    // They are not looked for again: four steps from each of three starts.
    const double before = linearisation.report(*system).iteration_statistics[0].statistics[0].value;
    linearisation.begin_step(*system, {0.0, 5 * internal_step});
    EXPECT_EQ(linearisation.report(*system).iteration_statistics[0].statistics[0].value,
              before + 12.0);
}

TEST(InterfaceModel, differences_that_move_nothing_give_up_with_a_line) {
    for (const int internal_steps : {1, 2, 3}) {
        const auto system = with_internal_steps();
        const double step = internal_steps * internal_step;
        Linearisation linearisation;
        linearisation.prepare(*system, from(InterfaceSource::differences));
        for (int k = 0; k < 5; ++k) {
            const Interval interval{step * k, step * (k + 1)};
            linearisation.begin_step(*system, interval);
            const LinearModel& model = linearisation.network().of(0);
            EXPECT_EQ(matrix(model.a, 2), MatrixXd::Zero(2, 2));
            // From one internal step with the inputs as they are.
            const VectorXd rates = matrix(model.rates, 2),
                           before = matrix(system->outputs_of(0), 2);
            const Interval first{interval.begin, interval.begin + internal_step};
            system->at(0).save(StateSlot::trial);
            ASSERT_TRUE(system->step(0, first, {.values = system->inputs_of(0)}));
            const VectorXd change = matrix(system->outputs_of(0), 2) - before;
            EXPECT_LT((rates - change / internal_step).norm(), 1e-9) << internal_steps;
            system->at(0).restore(StateSlot::trial);
            for (int s = 0; s < 2; ++s)
                ASSERT_TRUE(system->step(s, interval, {.values = system->inputs_of(s)}));
        }
        ASSERT_EQ(linearisation.report(*system).warnings.size(), 1U);
        EXPECT_EQ(linearisation.report(*system).warnings[0],
                  "'mass': its outputs answer to inputs after internal steps of 0.01 s only; in 5 "
                  "of 5 readings outputs were expected to go on with their slope\n  hint: use "
                  "communication steps of 0.04 s or more, or interface = \"identified\"");
    }
}

/// Puts out 3 or 0, whether its input is above a half; but computes that in steps only.
class LateSwitch final : public test::StubSubsystem, public Rollback {
public:
    LateSwitch() : StubSubsystem("switch", 1, 1, {.rollback = true, .variable_step = true}) {
        facets_ = facets_of(this);
    }
    void set_inputs(const InputCourse& course) override { input_ = course.values[0]; }
    StepResult step(Interval interval) override {
        output_ = input_ > 0.5 ? 3.0 : 0.0;
        return {Outcome::complete, interval.end};
    }
    void get_outputs(std::span<double> outputs) override { outputs[0] = output_; }
    void save(StateSlot slot) override { saved_[static_cast<std::size_t>(slot)] = output_; }
    void restore(StateSlot slot) override { output_ = saved_[static_cast<std::size_t>(slot)]; }

private:
    double input_ = 0.0, output_ = 0.0;
    double saved_[state_slot_count] = {};
};

TEST(InterfaceModel, jumps_inside_short_steps_are_no_slopes) {
    const auto turn = [](double, const VectorXd& x, const VectorXd&) -> VectorXd {
        return VectorXd{{x[1], -x[0]}};
    };
    std::vector<std::unique_ptr<Subsystem>> boxes;
    boxes.push_back(std::make_unique<LateSwitch>());
    boxes.push_back(std::make_unique<test::BlackBox>(
        "source", turn, VectorXd{{1.0, 0.0}},
        test::BlackBoxOptions{
            .seen = 1, .output_sizes = VectorXd::Ones(1), .input_sizes = VectorXd(0)}));
    System system(std::move(boxes), std::vector<Link>{{.output = 1, .input = 0}});
    for (int s = 0; s < 2; ++s) system.read_outputs(s);
    Linearisation linearisation;
    linearisation.prepare(system, from(InterfaceSource::differences));
    linearisation.begin_step(system, {0.0, h});
    // By its first short step of h/8 it would go on with 24/h, to a mean of 12.
    EXPECT_EQ(linearisation.network().of(0).rates[0], 0.0);
}

/// One step after the other with the mean of predicted inputs.
class Learning {
public:
    Learning(const LinearSystem& linear, InterfaceSource source, Shown shown = {.goes_back = false})
        : system_(hidden(linear, displaced, shown)), coupling_(options_for(source)) {
        coupling_.prepare(*system_, 0.0);
    }
    void advance(int steps) {
        for (int k = 0; k < steps; ++k, ++count_)
            ASSERT_TRUE(coupling_.advance(*system_, {h * count_, h * (count_ + 1)}));
    }
    System& system() { return *system_; }
    Stabilised& coupling() { return coupling_; }
    int count() const { return count_; }

private:
    static StabilisedOptions options_for(InterfaceSource source) {
        StabilisedOptions options;
        options.inputs = PredictedForm::mean;
        options.linearisation.interface = source;
        return options;
    }
    std::unique_ptr<System> system_;
    Stabilised coupling_;
    int count_ = 0;
};

TEST(InterfaceModel, what_steps_show_identifies_linear_subsystems) {
    const LinearSystem linear = two_seen_masses();
    const auto system = hidden(linear, displaced, {.goes_back = false});
    Linearisation linearisation;
    linearisation.prepare(*system, from(InterfaceSource::identified));
    for (int k = 0; k < 20; ++k) {
        const Interval interval{h * k, h * (k + 1)};
        linearisation.begin_step(*system, interval);
        for (int s = 0; s < 2; ++s) {
            const InputCourse course{.values = system->inputs_of(s)};
            linearisation.keep_course(s, course, h);
            ASSERT_TRUE(system->step(s, interval, course));
        }
        // At first outputs go on with their slopes: four predictions take five steps.
        EXPECT_TRUE(k >= 5 || linearisation.network().of(0).a[1] == 0.0);
    }
    linearisation.begin_step(*system, {h * 20, h * 21});
    for (int s = 0; s < 2; ++s) {
        const LinearPart& part = linear.parts[static_cast<std::size_t>(s)];
        const LinearModel& model = linearisation.network().of(s);
        // Solvers with 1e-11, and motions of which some are a thousandth of others.
        expect_near(matrix(model.a, 2), part.a, 1e-5);
        expect_near(matrix(model.b, 2), part.b, 1e-5);
        const VectorXd y = matrix(system->outputs_of(s), 2), u = matrix(system->inputs_of(s), 2);
        const VectorXd rates = part.a * y + part.b * u + part.f;
        EXPECT_LT((matrix(model.rates, 2) - rates).norm(), 1e-4 * rates.norm());
    }
    linearisation.reset_history();
    linearisation.begin_step(*system, {h * 20, h * 21});
    EXPECT_EQ(matrix(linearisation.network().of(0).a, 2), MatrixXd::Zero(2, 2));
}

class RepeatedSteps : public ::testing::TestWithParam<InterfaceSource> {};
INSTANTIATE_TEST_SUITE_P(Sources, RepeatedSteps,
                         ::testing::Values(InterfaceSource::differences,
                                           InterfaceSource::identified, InterfaceSource::slopes));

TEST_P(RepeatedSteps, go_as_if_the_rejected_ones_had_not_been) {
    Learning straight(two_seen_masses(), GetParam(), Shown{});
    Learning repeated(two_seen_masses(), GetParam(), Shown{});
    straight.advance(15);
    repeated.advance(15);
    const std::vector<double> outputs(repeated.system().outputs().begin(),
                                      repeated.system().outputs().end());
    repeated.system().save(StateSlot::step_begin);
    const double begin = h * 15;
    for (const Interval rejected : {Interval{begin, begin + h}, Interval{begin + h, begin + 3 * h}})
        ASSERT_TRUE(repeated.coupling().advance(repeated.system(), rejected));
    repeated.system().restore(StateSlot::step_begin);
    std::ranges::copy(outputs, repeated.system().outputs().begin());
    straight.advance(10);
    repeated.advance(10);
    for (std::size_t i = 0; i < 4; ++i)
        EXPECT_DOUBLE_EQ(repeated.system().outputs()[i], straight.system().outputs()[i]);
}

TEST(InterfaceModel, notes_say_what_is_done_instead) {
    const auto note = [](InterfaceSource source, Shown shown) {
        const auto system = hidden(two_seen_masses(), displaced, shown);
        Linearisation linearisation;
        linearisation.prepare(*system, from(source));
        return linearisation.report(*system).fallbacks.front().text;
    };
    constexpr Shown forward{.goes_back = false};
    const std::string by_steps =
        "no linear model: 12 short steps find one at each reading of Jacobians";
    const std::string by_slopes = "no linear model: outputs are expected to go on with their slope";
    EXPECT_EQ(note(InterfaceSource::automatic, Shown{}), by_steps);
    EXPECT_EQ(note(InterfaceSource::differences, Shown{}), by_steps);
    EXPECT_EQ(note(InterfaceSource::automatic, forward), by_slopes);
    EXPECT_EQ(note(InterfaceSource::differences, forward), by_slopes);
    EXPECT_EQ(note(InterfaceSource::given, Shown{}), by_slopes);
    EXPECT_NE(note(InterfaceSource::identified, forward).find("learnt from the steps"),
              std::string::npos);
}

}  // namespace
}  // namespace tandem
