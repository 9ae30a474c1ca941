#include <gtest/gtest.h>

#include <cmath>

#include "coupling/explicit/nepce.hpp"
#include "coupling/iterative/iterative.hpp"
#include "exec/thread_executor.hpp"
#include "support/mock_subsystem.hpp"

namespace tandem::coupling {
namespace {

/// y <- 0.9 y + 0.1 sin(u1 + 2 u2 + ...): contracts, and feels every bit of its inputs.
class Member final : public test::StubSubsystem, public Rollback {
public:
    Member(std::string name, std::size_t inputs, double y)
        : StubSubsystem(std::move(name), inputs, 1,
                        {.rollback = true, .variable_step = true, .input_derivatives = 1}),
          inputs_(inputs),
          y_(y) {
        facets_ = facets_of(this);
    }
    void set_inputs(const InputCourse& course) override {
        std::ranges::copy(course.values, inputs_.begin());
        for (std::size_t i = 0; course.order > 0 && i < inputs_.size(); ++i)
            inputs_[i] += 0.01 * course.derivatives[i];
    }
    StepResult step(Interval interval) override {
        if (interval.begin >= stops_at) return {Outcome::rejected, interval.begin};
        double sum = 0.0;
        for (std::size_t i = 0; i < inputs_.size(); ++i)
            sum += static_cast<double>(i + 1) * inputs_[i];
        for (int k = 0; k < 50; ++k) y_ = 0.9 * y_ + 0.1 * std::sin(sum);
        return {Outcome::complete, interval.end};
    }
    void get_outputs(std::span<double> outputs) override { outputs[0] = y_; }
    void save(StateSlot slot) override { saved_[static_cast<std::size_t>(slot)] = y_; }
    void restore(StateSlot slot) override { y_ = saved_[static_cast<std::size_t>(slot)]; }

    double stops_at = 1e300;

private:
    std::vector<double> inputs_;
    double y_;
    double saved_[state_slot_count] = {};
};

struct Outcomes {
    std::vector<double> outputs;
    Outcome last = Outcome::complete;
    int stopped_by = 0;
    bool operator==(const Outcomes&) const = default;
};

/// Two cycles of four, each with an input more, which a function of both feeds, behind a chain of
/// two; beside them a third chain.
template <class Make>
Outcomes run(Make make_coupling, int threads, int first_to_stop = -1) {
    constexpr int size = 14;
    std::vector<std::unique_ptr<Subsystem>> subsystems;
    for (int s = 0; s < size; ++s) {
        auto member = std::make_unique<Member>("s" + std::to_string(s), 2, 0.1 * s);
        if (first_to_stop >= 0 && s >= first_to_stop) member->stops_at = 0.5;
        subsystems.push_back(std::move(member));
    }
    std::vector<Link> links = {{0, 2},   {1, 2 * 2 + 1}, {1, 2 * 6 + 1},
                               {10, 22}, {11, 24},       {12, 26}};
    for (int i = 0; i < 4; ++i) {
        links.push_back({2 + i, 2 * (2 + (i + 1) % 4)});
        links.push_back({6 + i, 2 * (6 + (i + 1) % 4), 0.5, 0.1});
    }
    std::vector<FunctionLink> functions;
    for (const int s : {3, 7, 9, 13})
        functions.push_back({2 * s + 1, {0, 1, 2}, [](double t, std::span<const double> y) {
                                 return t * y[0] - y[1] * y[2];
                             }});
    System system(std::move(subsystems), std::move(links), std::move(functions));
    if (threads > 1)
        system.schedule().set_executor(exec::make_thread_executor(threads, exec::Use::always));
    const auto coupling = make_coupling();
    coupling->prepare(system, 0.0);
    Outcomes result;
    for (int k = 0; k < 60 && result.last == Outcome::complete; ++k)
        result.last = coupling->advance(system, {0.01 * k, 0.01 * (k + 1)}).outcome;
    result.outputs.assign(system.outputs().begin(), system.outputs().end());
    result.stopped_by = system.last_stopped();
    if (result.last != Outcome::complete) result.outputs.clear();  // may have gone on
    return result;
}

template <class Make>
void expect_the_same(Make make) {
    const Outcomes serial = run(make, 1);
    EXPECT_EQ(serial.last, Outcome::complete);
    for (const int threads : {2, 4}) EXPECT_EQ(run(make, threads), serial);
    const Outcomes stopped = run(make, 1, 5);
    EXPECT_EQ(stopped.last, Outcome::rejected);
    for (int repetition = 0; repetition < 5; ++repetition) EXPECT_EQ(run(make, 4, 5), stopped);
}

TEST(Threads, leave_explicit_couplings_as_they_are) {
    for (const Sweep sweep : {Sweep::jacobi, Sweep::gauss_seidel})
        for (const int order : {0, 1, 2})
            for (const bool smooth : {false, true})
                expect_the_same([=] {
                    ExplicitOptions options{.sweep = sweep, .order = order, .smooth = smooth};
                    options.ratios = {1, 2, 1, 4, 1, 1, 2, 1, 1, 4, 1, 1, 2, 1};
                    return std::make_unique<Explicit>(options);
                });
}

TEST(Threads, leave_the_correction_of_energy_as_it_is) {
    for (const int order : {0, 1})
        for (const bool anti_aliasing : {false, true})
            expect_the_same([=] {
                return std::make_unique<Nepce>(NepceOptions{order, anti_aliasing});
            });
}

TEST(Threads, leave_the_iterative_coupling_as_it_is) {
    for (const Sweep sweep : {Sweep::jacobi, Sweep::gauss_seidel})
        for (const numerics::Accelerator accelerator :
             {numerics::Accelerator::newton, numerics::Accelerator::anderson})
            expect_the_same([=] {
                IterativeOptions options;
                options.cycles.sweep = sweep;
                options.cycles.solver.accelerator = accelerator;
                return std::make_unique<Iterative>(options);
            });
}

}  // namespace
}  // namespace tandem::coupling
