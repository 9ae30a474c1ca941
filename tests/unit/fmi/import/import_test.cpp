#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "fmi/import/common.hpp"
#include "support/odd_fmu.hpp"
#include "tandem/error.hpp"

namespace tandem::fmi {
namespace {

using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class Import : public testing::Test {
protected:
    std::unique_ptr<CoSimulation> stepping(const std::string& behaviour,
                                           std::optional<double> stop = {}) {
        auto instance = odd.fmu->instantiate_co_simulation(odd.behaving(behaviour));
        instance->enter_initialization({0.0, stop, {}});
        instance->exit_initialization();
        return instance;
    }
    double nominal(const std::string& behaviour) {
        const auto instance = odd.fmu->instantiate_model_exchange(odd.behaving(behaviour));
        double value = 7.0;
        instance->get_nominals({&value, 1});
        return value;
    }

    OddFmu odd;
};

TEST_F(Import, logs_each_call_with_arguments_and_status) {
    stepping("plain")->do_step(0.0, 0.25, true);
    EXPECT_THAT(odd.calls, Contains("fmi2DoStep(0, 0.25, true) -> OK"));
    EXPECT_THAT(odd.calls, Contains(StartsWith("fmi2SetupExperiment(false, 0, 0, false, 0)")));
}

TEST_F(Import, releases_in_order_without_being_told) {
    stepping("plain").reset();
    ASSERT_GE(odd.calls.size(), 2U);
    EXPECT_EQ(odd.calls[odd.calls.size() - 2], "fmi2Terminate() -> OK");
    EXPECT_EQ(odd.calls.back(), "fmi2FreeInstance() -> done");
}

TEST_F(Import, does_not_terminate_what_was_never_initialised) {
    odd.fmu->instantiate_co_simulation(odd.behaving("plain")).reset();
    EXPECT_FALSE(odd.called("fmi2Terminate"));
    EXPECT_TRUE(odd.called("fmi2FreeInstance"));
}

TEST_F(Import, never_passes_an_empty_list_to_the_fmu) {
    const auto instance = stepping("plain");
    instance->get(std::span<const ValueReference>{}, {});
    instance->set(std::span<const ValueReference>{}, {});
    Values none;
    instance->get(ValueType::int32, {}, none);
    EXPECT_THAT(odd.calls, Each(Not(HasSubstr("Real("))));
    EXPECT_THAT(odd.calls, Each(Not(HasSubstr("Integer("))));
}

TEST_F(Import, reports_a_discarded_step_with_the_time_it_reached) {
    const DoStepResult result = stepping("discard")->do_step(0.0, 1.0, true);
    EXPECT_EQ(result.outcome, DoStepOutcome::discarded);
    EXPECT_EQ(result.reached, 0.5);
}

TEST_F(Import, reports_a_discarded_step_of_an_fmu_that_ends_as_terminated) {
    EXPECT_EQ(stepping("terminated")->do_step(0.0, 1.0, true).outcome, DoStepOutcome::terminated);
}

TEST_F(Import, tells_what_the_fmu_said_when_a_step_fails) {
    const auto instance = stepping("error");
    try {
        instance->do_step(0.0, 0.5, true);
        FAIL() << "the step answered error";
    } catch (const FmuError& error) {
        EXPECT_EQ(error.call(), "fmi2DoStep");
        EXPECT_THAT(error.what(), HasSubstr("the spring of spring broke at 0.5"));
    }
}

TEST_F(Import, frees_without_terminating_after_an_error) {
    auto instance = stepping("error");
    EXPECT_THROW(instance->do_step(0.0, 0.5, true), FmuError);
    instance.reset();
    EXPECT_FALSE(odd.called("fmi2Terminate"));
    EXPECT_TRUE(odd.called("fmi2FreeInstance"));
}

TEST_F(Import, calls_nothing_after_a_fatal_status) {
    auto instance = stepping("fatal");
    EXPECT_THROW(instance->do_step(0.0, 0.5, true), FmuError);
    const std::size_t calls = odd.calls.size();
    EXPECT_THROW(instance->do_step(0.5, 1.0, true), FmuError);
    instance.reset();
    EXPECT_EQ(odd.calls.size(), calls);
}

TEST_F(Import, takes_a_status_that_does_not_exist_as_an_error) {
    EXPECT_THROW(stepping("unknown status")->do_step(0.0, 1.0, true), FmuError);
}

TEST_F(Import, turns_an_exception_of_the_fmu_into_an_error) {
    try {
        stepping("throws")->do_step(0.0, 1.0, true);
        FAIL() << "the FMU threw";
    } catch (const FmuError& error) {
        EXPECT_THAT(error.what(), HasSubstr("boom"));
    }
}

TEST_F(Import, turns_an_exception_of_any_type_into_an_error) {
    EXPECT_THROW(stepping("throws a number")->do_step(0.0, 1.0, true), FmuError);
}

TEST_F(Import, takes_no_time_that_is_no_number) {
    EXPECT_EQ(stepping("nan time")->do_step(0.5, 1.0, true).reached, 0.5);
}

TEST_F(Import, shows_formats_that_would_write_to_memory_as_they_are) {
    stepping("odd formats")->do_step(0.0, 1.0, true);
    EXPECT_THAT(odd.messages, ElementsAre("%n", "%hn", "%lln", "%5n", "%%%d%n"));
}

TEST_F(Import, knows_the_status_of_a_call_whose_callback_threw) {
    InstanceOptions options = odd.behaving("error");
    options.on_message = [](Status, const std::string&, const std::string&) {
        throw std::runtime_error("from the callback");
    };
    auto instance = odd.fmu->instantiate_co_simulation(options);
    instance->enter_initialization({0.0, {}, {}});
    instance->exit_initialization();
    EXPECT_THROW(instance->do_step(0.0, 0.5, true), std::runtime_error);
    instance.reset();
    EXPECT_FALSE(odd.called("fmi2Terminate"));
    EXPECT_TRUE(odd.called("fmi2FreeInstance"));
}

TEST(Translate, takes_pending_as_an_error_where_the_version_has_none) {
    EXPECT_EQ(translate(5, Version::v2), Status::pending);
    EXPECT_EQ(translate(5, Version::v3), Status::error);
}

TEST_F(Import, says_so_when_the_fmu_gives_no_instance) {
    EXPECT_THROW(odd.fmu->instantiate_co_simulation(odd.behaving("refuses")), FmuError);
}

TEST_F(Import, waits_for_a_pending_step_that_calls_back) {
    const auto instance = stepping("pending, calls back");
    for (const double begin : {0.0, 1.0, 2.0})
        EXPECT_EQ(instance->do_step(begin, begin + 1.0, true).outcome, DoStepOutcome::complete);
}

TEST_F(Import, waits_for_a_pending_step_that_has_to_be_asked) {
    EXPECT_EQ(stepping("pending, is asked")->do_step(0.0, 1.0, true).outcome,
              DoStepOutcome::complete);
    EXPECT_TRUE(odd.called("fmi2GetStatus"));
}

TEST_F(Import, cancels_a_pending_step_whose_status_cannot_be_asked) {
    EXPECT_THROW(stepping("pending, then error")->do_step(0.0, 1.0, true), FmuError);
    EXPECT_TRUE(odd.called("fmi2CancelStep"));
}

TEST_F(Import, finds_the_receiver_of_a_message_with_a_wrong_environment) {
    stepping("wrong environment")->do_step(0.0, 1.0, true);
    EXPECT_THAT(odd.messages, ElementsAre("42 of spring and #"));
}

TEST_F(Import, survives_messages_of_null_strings) {
    stepping("null strings")->do_step(0.0, 1.0, true);
    EXPECT_THAT(odd.messages, ElementsAre(""));
}

TEST_F(Import, names_a_missing_function_only_when_it_is_needed) {
    const auto instance = stepping("plain");
    try {
        instance->reset();
        FAIL() << "fmi2Reset does not exist";
    } catch (const InputError& error) {
        EXPECT_THAT(error.what(), HasSubstr("fmi2Reset"));
    }
    EXPECT_TRUE(instance->do_step(0.0, 1.0, true).outcome == DoStepOutcome::complete);
}

TEST_F(Import, never_steps_past_an_announced_stop_time) {
    const double stop = 0.3;
    const auto instance = stepping("plain", stop);
    // 3 * 0.1 is larger than 0.3 in floating point, and 0.1 + 0.2 too.
    instance->do_step(0.1, 3 * 0.1, true);
    double reached = 0.0;
    const ValueReference reference = 1;
    instance->get({&reference, 1}, {&reached, 1});
    EXPECT_LE(reached, stop);
    EXPECT_THROW(instance->do_step(0.3, 0.4, true), InputError);
}

TEST_F(Import, takes_nominals_that_make_no_sense_as_one) {
    EXPECT_EQ(nominal("plain"), 1.0);
    EXPECT_EQ(nominal("zero nominal"), 1.0);
    EXPECT_EQ(nominal("nan nominal"), 1.0);
    EXPECT_EQ(nominal("good nominal"), 25.0);
}

TEST_F(Import, answers_false_where_a_model_cannot_be_evaluated) {
    const auto instance = odd.fmu->instantiate_model_exchange(odd.behaving("discard"));
    double derivative = 0.0;
    EXPECT_FALSE(instance->get_derivatives({&derivative, 1}));
}

TEST(FileUri, encodes_what_a_uri_does_not_allow) {
    EXPECT_EQ(file_uri("/tmp/a b/\xc3\xa4#%.x"), "file:///tmp/a%20b/%C3%A4%23%25.x");
}

}  // namespace
}  // namespace tandem::fmi
