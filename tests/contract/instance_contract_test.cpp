// What every FMU instance promises, whatever its FMI version and kind.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "fmi/import/fmu.hpp"
#include "tandem/error.hpp"

namespace tandem::fmi {
namespace {

using ::testing::StartsWith;

struct Sort {
    const char* label;
    const char* file;  ///< behind the name of the model
    Kind kind;
    Version version;
};

constexpr Sort all_sorts[] = {
    {"fmi1_cs", "_fmi1_cs.fmu", Kind::co_simulation, Version::v1},
    {"fmi1_me", "_fmi1_me.fmu", Kind::model_exchange, Version::v1},
    {"fmi2_cs", "_fmi2.fmu", Kind::co_simulation, Version::v2},
    {"fmi2_me", "_fmi2.fmu", Kind::model_exchange, Version::v2},
    {"fmi3_cs", "_fmi3.fmu", Kind::co_simulation, Version::v3},
    {"fmi3_me", "_fmi3.fmu", Kind::model_exchange, Version::v3},
};

/// FMI 1.0 has no functions for it.
bool can_save(const Sort& sort) { return sort.version != Version::v1; }

using Calls = std::vector<std::string>;

/// Where in the log a function is called for the first time; its size if it never is.
std::size_t position(const Calls& calls, const std::string& function) {
    const auto found = std::find_if(calls.begin(), calls.end(), [&](const std::string& call) {
        return call.find(function + '(') != std::string::npos;
    });
    return static_cast<std::size_t>(found - calls.begin());
}

/// One instance, moved on by explicit Euler steps where it does not move itself.
class Moving {
public:
    Moving(const std::string& model, const Sort& sort) {
        fmu = Fmu::open(std::filesystem::path(TANDEM_FMU_DIR) / (model + sort.file));
        InstanceOptions options;
        options.name = model;
        options.on_call = [log = log](const std::string& call) { log->push_back(call); };
        options.on_message = [](Status, const std::string&, const std::string&) {};
        if (sort.kind == Kind::co_simulation) {
            step_ = fmu->instantiate_co_simulation(options);
            instance = step_.get();
        } else {
            exchange_ = fmu->instantiate_model_exchange(options);
            instance = exchange_.get();
        }
    }

    void initialise() {
        instance->enter_initialization({0.0, 10.0, {}});
        instance->exit_initialization();
        if (exchange_) finish_event();
    }

    void move(double begin, double end) {
        if (step_) {
            result = step_->do_step(begin, end, false);
            return;
        }
        std::vector<double> x(exchange_->state_count()), dx(x.size());
        exchange_->get_continuous_states(x);
        ASSERT_TRUE(exchange_->get_derivatives(dx));
        for (std::size_t i = 0; i < x.size(); ++i) x[i] += (end - begin) * dx[i];
        ASSERT_TRUE(exchange_->set_time(end));
        ASSERT_TRUE(exchange_->set_continuous_states(x));
        exchange_->completed_integrator_step();
    }

    std::vector<double> trace(double begin, int steps) {
        std::vector<double> values;
        for (int k = 0; k < steps; ++k) {
            move(begin + 0.1 * k, begin + 0.1 * (k + 1));
            values.push_back(get("x0"));
            values.push_back(get("x1"));
        }
        return values;
    }

    ValueReference reference(const std::string& name) const {
        return fmu->description().variables.at(fmu->description().find(name).value()).reference;
    }
    double get(const std::string& name) {
        const ValueReference from = reference(name);
        double value = 0.0;
        instance->get({&from, 1}, {&value, 1});
        return value;
    }
    void set(const std::string& name, double value) {
        const ValueReference to = reference(name);
        instance->set({&to, 1}, {&value, 1});
    }
    void choose(ValueType type, const std::string& name, std::int64_t value) {
        const ValueReference to = reference(name);
        Values values;
        values.integers.push_back(value);
        instance->set(type, {&to, 1}, values);
    }
    CoSimulation& step() { return *step_; }

    std::shared_ptr<Fmu> fmu;
    Instance* instance = nullptr;
    DoStepResult result;
    /// Every call, also those of the destruction.
    const std::shared_ptr<Calls> log = std::make_shared<Calls>();

private:
    void finish_event() {
        while (exchange_->update_discrete_states().again) {
        }
        exchange_->enter_continuous_time_mode();
    }

    std::unique_ptr<CoSimulation> step_;
    std::unique_ptr<ModelExchange> exchange_;
};

class InstanceContract : public ::testing::TestWithParam<Sort> {};
INSTANTIATE_TEST_SUITE_P(Sorts, InstanceContract, ::testing::ValuesIn(all_sorts),
                         [](const auto& sort) { return std::string(sort.param.label); });

TEST_P(InstanceContract, a_restored_state_replays_bit_for_bit) {
    Moving oscillator("VanDerPol", GetParam());
    oscillator.initialise();
    ASSERT_EQ(oscillator.instance->info().can_get_and_set_state, can_save(GetParam()));
    if (!can_save(GetParam())) {
        FmuState none = nullptr;
        EXPECT_THROW(oscillator.instance->get_state(none), InputError);
        return;
    }
    oscillator.trace(0.0, 3);
    FmuState state = nullptr;
    oscillator.instance->get_state(state);
    const auto first = oscillator.trace(0.3, 5);
    oscillator.instance->set_state(state);
    EXPECT_EQ(oscillator.trace(0.3, 5), first);
    oscillator.instance->set_state(state);
    EXPECT_EQ(oscillator.trace(0.3, 5), first);
    oscillator.instance->free_state(state);
    EXPECT_EQ(state, nullptr);
}

TEST_P(InstanceContract, a_state_that_went_through_bytes_replays_bit_for_bit) {
    Moving oscillator("VanDerPol", GetParam());
    oscillator.initialise();
    ASSERT_EQ(oscillator.instance->info().can_serialize_state, can_save(GetParam()));
    if (!can_save(GetParam())) return;
    oscillator.trace(0.0, 3);
    FmuState state = nullptr;
    oscillator.instance->get_state(state);
    const std::vector<std::byte> bytes = oscillator.instance->serialize(state);
    const auto first = oscillator.trace(0.3, 5);

    Moving other("VanDerPol", GetParam());
    other.initialise();
    FmuState read = nullptr;
    other.instance->deserialize(bytes, read);
    other.instance->set_state(read);
    EXPECT_EQ(other.trace(0.3, 5), first);
}

TEST_P(InstanceContract, saved_states_are_freed_before_the_instance) {
    std::shared_ptr<Calls> log;
    {
        Moving oscillator("VanDerPol", GetParam());
        ASSERT_EQ(oscillator.instance->info().can_get_and_set_state, can_save(GetParam()));
        if (!can_save(GetParam())) return;
        log = oscillator.log;
        oscillator.initialise();
        FmuState first = nullptr, second = nullptr;
        oscillator.instance->get_state(first);
        oscillator.instance->get_state(second);
    }
    const char* free_state = GetParam().version == Version::v2 ? "FreeFMUstate" : "FreeFMUState";
    EXPECT_EQ(position(*log, free_state) + 2, position(*log, "FreeInstance"));
    EXPECT_EQ(position(*log, "FreeInstance") + 1, log->size());
}

TEST_P(InstanceContract, directional_derivatives_equal_differences) {
    Moving decay("Dahlquist", GetParam());
    decay.initialise();
    const bool has_derivatives = GetParam().version != Version::v1;
    ASSERT_EQ(decay.instance->info().provides_directional_derivatives, has_derivatives);
    if (!has_derivatives) return;
    const ValueReference unknown = decay.reference("y"), known = decay.reference("u");
    const double seed = 2.0;
    double sensitivity = 0.0;
    ASSERT_TRUE(decay.instance->directional_derivative({&unknown, 1}, {&known, 1}, {&seed, 1},
                                                       {&sensitivity, 1}));
    const double before = decay.get("y");
    decay.set("u", 0.5);
    // y is linear in u, so the difference is exact up to rounding.
    EXPECT_NEAR(sensitivity / seed, (decay.get("y") - before) / 0.5, 1e-12);
}

TEST_P(InstanceContract, input_derivatives_are_respected) {
    if (GetParam().kind != Kind::co_simulation || GetParam().version == Version::v3) return;
    Moving decay("Dahlquist", GetParam());
    decay.initialise();
    ASSERT_TRUE(decay.instance->info().can_interpolate_inputs);
    const ValueReference input = decay.reference("u");
    const int order = 1;
    const double slope = 1.0;
    decay.set("u", 0.0);
    decay.step().set_input_derivatives({&input, 1}, {&order, 1}, {&slope, 1});
    decay.move(0.0, 1.0);
    // dx = -x + t, x(0) = 1: x(1) = 2 exp(-1); the FMU's own solver keeps 1e-4.
    EXPECT_NEAR(decay.get("x"), 2.0 * std::exp(-1.0), 1e-4);
}

TEST_P(InstanceContract, an_instance_that_failed_can_be_destroyed) {
    for (const bool initialised : {false, true}) {
        Moving ball("BouncingBall", GetParam());
        if (initialised) ball.initialise();
        const ValueReference nobody = 424242;
        double value = 0.0;
        EXPECT_THROW(ball.instance->get({&nobody, 1}, {&value, 1}), FmuError);
    }
}

TEST_P(InstanceContract, an_instance_can_be_destroyed_in_every_state) {
    { const Moving instantiated("BouncingBall", GetParam()); }
    {
        Moving initialising("BouncingBall", GetParam());
        initialising.instance->enter_initialization({0.0, {}, {}});
    }
    {
        Moving running("BouncingBall", GetParam());
        running.initialise();
    }
    Moving finished("BouncingBall", GetParam());
    finished.initialise();
    finished.instance->terminate();
}

TEST_P(InstanceContract, every_type_is_passed_on_unchanged) {
    Moving through("Feedthrough", GetParam());
    through.set("float64_in", 2.5);
    through.choose(ValueType::int32, "int32_in", -7);
    through.choose(ValueType::boolean, "boolean_in", 1);
    const ValueReference text = through.reference("string_in");
    through.instance->set(ValueType::string, {&text, 1}, Values{{}, {}, {"Grüße"}});
    through.initialise();
    EXPECT_EQ(through.get("float64_out"), 2.5);
    const auto read = [&](ValueType type, const std::string& name) {
        const ValueReference from = through.reference(name);
        Values values;
        values.resize(type, 1);
        through.instance->get(type, {&from, 1}, values);
        return values;
    };
    EXPECT_EQ(read(ValueType::int32, "int32_out").integers[0], -7);
    EXPECT_EQ(read(ValueType::boolean, "boolean_out").integers[0], 1);
    EXPECT_EQ(read(ValueType::string, "string_out").strings[0], "Grüße");
}

TEST_P(InstanceContract, fmi1_models_know_the_time_before_they_initialise) {
    if (GetParam().version != Version::v1 || GetParam().kind != Kind::model_exchange) return;
    Moving ball("BouncingBall", GetParam());
    ball.initialise();
    EXPECT_LT(position(*ball.log, "fmiSetTime"), position(*ball.log, "fmiInitialize"));
    EXPECT_LT(position(*ball.log, "fmiInitialize"), ball.log->size());
}

TEST_P(InstanceContract, fmi1_models_complete_a_step_before_an_event_update) {
    if (GetParam().version != Version::v1 || GetParam().kind != Kind::model_exchange) return;
    Moving ball("BouncingBall", GetParam());
    ball.initialise();
    auto& exchange = dynamic_cast<ModelExchange&>(*ball.instance);
    ASSERT_TRUE(exchange.set_time(0.1));
    ball.log->clear();
    exchange.enter_event_mode();
    exchange.update_discrete_states();
    ASSERT_EQ(ball.log->size(), 2U);
    EXPECT_THAT((*ball.log)[0], StartsWith("fmiCompletedIntegratorStep"));
    EXPECT_THAT((*ball.log)[1], StartsWith("fmiEventUpdate"));
}

TEST_P(InstanceContract, no_temporary_folder_is_left) {
    std::filesystem::path folder;
    {
        Moving ball("BouncingBall", GetParam());
        ball.initialise();
        folder = ball.fmu->folder();
        EXPECT_TRUE(std::filesystem::exists(folder));
    }
    EXPECT_FALSE(std::filesystem::exists(folder));
}

}  // namespace
}  // namespace tandem::fmi
