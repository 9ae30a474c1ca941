#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "files/csv_reader.hpp"
#include "results/recorder.hpp"
#include "support/allocation_counter.hpp"
#include "support/result_files.hpp"
#include "support/scratch_file.hpp"
#include "support/variables_subsystem.hpp"
#include "tandem/error.hpp"

namespace tandem::results {
namespace {

using test::ScratchFile;
using test::VariablesSubsystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Two subsystems: `a` with outputs x, f[1..2] and others, `b` with an output x and a text.
class Pair {
public:
    Pair() {
        auto first = std::make_unique<VariablesSubsystem>("a");
        first->add("x", ValueType::float64, true)
            .add("mode", ValueType::int32)
            .add("f", ValueType::float64, true, 2)
            .add("hidden", ValueType::float64)
            .add("other", ValueType::float64);
        auto second = std::make_unique<VariablesSubsystem>("b");
        second->add("x", ValueType::float64, true).add("label", ValueType::string);
        a = first.get();
        b = second.get();
        std::vector<std::unique_ptr<Subsystem>> subsystems;
        subsystems.push_back(std::move(first));
        subsystems.push_back(std::move(second));
        system = std::make_unique<System>(std::move(subsystems), std::vector<Link>{});
        a->value = [](const std::string& name, std::size_t k) {
            return name == "mode" ? 3.0 : 100.0 + static_cast<double>(k);
        };
    }
    /// Records `points` grid points 0, 1, ... with outputs 10, 11, 12, 13 into `path`.
    std::string record(const ScratchFile& file, const RecordOptions& options, int points = 1) {
        for (std::size_t i = 0; i < 4; ++i) system->outputs()[i] = 10.0 + static_cast<double>(i);
        Recorder recorder(record_sources(*system, members_alone(*system)), options,
                          writers({file.path()}));
        for (int k = 0; k < points; ++k) recorder.record(k);
        recorder.close();
        return read_text_file(file.path());
    }
    static std::vector<std::unique_ptr<ResultWriter>> writers(
        const std::vector<std::string>& paths) {
        std::vector<std::unique_ptr<ResultWriter>> result;
        for (const std::string& path : paths) result.push_back(make_result_writer(path));
        return result;
    }

    VariablesSubsystem* a = nullptr;
    VariablesSubsystem* b = nullptr;
    std::unique_ptr<System> system;
};

TEST(SystemRecorder, columns_are_called_subsystem_dot_variable) {
    const ScratchFile file(".csv");
    Pair pair;
    EXPECT_EQ(pair.record(file, {}), "time,a.x,a.f[1],a.f[2],b.x\n0,10,11,12,13\n");
}

TEST(SystemRecorder, connected_outputs_are_not_asked_for_again) {
    const ScratchFile file(".csv");
    Pair pair;
    pair.record(file, {{"a.*", "b.*"}, {}}, 4);
    EXPECT_THAT(pair.a->read_names, ::testing::Not(::testing::Contains("x")));
    EXPECT_THAT(pair.a->read_names, ::testing::Not(::testing::Contains("f")));
    EXPECT_EQ(pair.a->reads, 4 * 2);  // the integer, and both reals at once
    EXPECT_EQ(pair.b->reads, 4 * 1);  // the text
}

TEST(SystemRecorder, all_types_stand_in_their_columns) {
    const ScratchFile file(".csv");
    Pair pair;
    EXPECT_EQ(pair.record(file, {{"*"}, {}}),
              "time,a.x,a.mode,a.f[1],a.f[2],a.hidden,a.other,b.x,b.label\n"
              "0,10,3,11,12,100,100,13,xxx\n");
}

TEST(SystemRecorder, patterns_and_exclusions_see_whole_names) {
    const ScratchFile file(".csv");
    Pair pair;
    EXPECT_EQ(pair.record(file, {{"?.x", "a.?????"}, {"b.*"}}), "time,a.x,a.other\n0,10,100\n");
}

TEST(SystemRecorder, an_exclusion_that_matches_nothing_is_a_mistake) {
    const ScratchFile file(".csv");
    Pair pair;
    try {
        pair.record(file, {{}, {"a.othr"}});
        FAIL() << "the pattern was accepted";
    } catch (const InputError& error) {
        EXPECT_THAT(error.what(), HasSubstr("did you mean 'a.other'?"));
    }
}

TEST(SystemRecorder, every_nth_grid_point_is_written_and_every_event) {
    const ScratchFile file(".csv");
    Pair pair;
    RecordOptions options{{"b.x"}, {}, 3};
    Recorder recorder(record_sources(*pair.system, members_alone(*pair.system)), options,
                      Pair::writers({file.path()}));
    for (int k = 0; k < 8; ++k) {
        recorder.record(k);
        if (k != 4) continue;
        pair.system->outputs()[3] = 1.0;
        recorder.record_event(4.5);
        pair.system->outputs()[3] = 2.0;
        recorder.record_event(4.5);
    }
    recorder.close();
    EXPECT_EQ(recorder.rows(), 5);
    EXPECT_EQ(read_text_file(file.path()), "time,b.x\n0,0\n3,0\n4.5,1\n4.5,2\n6,2\n");
}

TEST(SystemRecorder, decimation_by_nothing_is_refused) {
    const ScratchFile file(".csv");
    Pair pair;
    EXPECT_THROW(pair.record(file, {{}, {}, 0}), InputError);
}

TEST(SystemRecorder, several_files_get_the_same_rows) {
    const ScratchFile csv(".csv"), mat(".mat"), h5(".h5");
    Pair pair;
    Recorder recorder(record_sources(*pair.system, members_alone(*pair.system)),
                      {{"a.x", "a.mode"}, {}}, Pair::writers({csv.path(), mat.path(), h5.path()}));
    for (int k = 0; k < 100; ++k) {
        pair.system->outputs()[0] = 0.1 * k;
        recorder.record(k);
    }
    recorder.close();
    const std::vector<std::string> names = {"time", "a.x", "a.mode"};
    const test::Table expected = test::read_results(csv.path(), names);
    EXPECT_EQ(expected.at("a.x").size(), 100U);
    EXPECT_EQ(test::read_results(mat.path(), names), expected);
    EXPECT_EQ(test::read_results(h5.path(), names), expected);
}

TEST(SystemRecorder, a_subsystem_alone_needs_no_prefix) {
    const ScratchFile file(".csv");
    VariablesSubsystem alone("a");
    alone.add("x", ValueType::float64, true);
    Recorder recorder({{"", &alone, {}, {}}}, {}, Pair::writers({file.path()}));
    recorder.record(0.5);
    recorder.close();
    EXPECT_EQ(read_text_file(file.path()), "time,x\n0.5,0\n");
}

TEST(SystemRecorder, a_row_allocates_nothing) {
    const ScratchFile csv(".csv"), mat(".mat"), h5(".h5");
    Pair pair;
    pair.a->keeps_names = pair.b->keeps_names = false;
    Recorder recorder(record_sources(*pair.system, members_alone(*pair.system)), {{"*"}, {}},
                      Pair::writers({csv.path(), mat.path(), h5.path()}));
    recorder.record(0.0);
    const test::AllocationCounter counter;
    for (int k = 1; k < 500; ++k) recorder.record(k);
    EXPECT_EQ(counter.count(), 0);
}

}  // namespace
}  // namespace tandem::results
