#include "results/recorder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <bit>
#include <cmath>
#include <filesystem>
#include <limits>

#include "files/csv_reader.hpp"
#include "tandem/error.hpp"

namespace tandem::results {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// A file of this test alone, gone afterwards.
class ScratchFile {
public:
    ScratchFile() {
        const auto* test = testing::UnitTest::GetInstance()->current_test_info();
        path_ = std::filesystem::temp_directory_path() /
                (std::string(test->name()) + "_" + std::to_string(getpid()) + ".csv");
    }
    ~ScratchFile() { std::filesystem::remove(path_); }
    std::string path() const { return path_.string(); }
    std::string text() const { return read_text_file(path()); }

private:
    std::filesystem::path path_;
};

class FixedVariables final : public Variables {
public:
    FixedVariables() {
        add("h", ValueType::float64, 1, "m").is_output = true;
        add("gear", ValueType::int32, 1, "");
        add("on", ValueType::boolean, 1, "").is_output = true;
        add("name", ValueType::string, 1, "").is_parameter = true;
        add("field", ValueType::float64, 3, "T");
        add("big", ValueType::uint64, 1, "");
        add("bytes", ValueType::binary, 1, "");
        add("single", ValueType::float32, 1, "");
    }
    const std::vector<VariableInfo>& list() const override { return list_; }
    VariableGroup group(std::span<const std::size_t> variables) const override {
        VariableGroup group;
        group.type = list_[variables[0]].type;
        for (const std::size_t i : variables) {
            group.variables.push_back(i);
            group.size += list_[i].size;
        }
        return group;
    }
    void read(const VariableGroup& group, Values& values) override {
        std::size_t next = 0;
        for (const std::size_t i : group.variables) {
            if (list_[i].name == "h") values.reals[next++] = 0.1 + 0.2;
            if (list_[i].name == "field")
                for (int k = 1; k <= 3; ++k) values.reals[next++] = k;
        }
        switch (group.type) {
            case ValueType::int32: values.integers[0] = -3; break;
            case ValueType::boolean: values.integers[0] = 1; break;
            case ValueType::string: values.strings[0] = "a \"b\", c"; break;
            case ValueType::uint64: values.integers[0] = -1; break;
            case ValueType::binary: values.strings[0] = std::string("\x00\xff", 2); break;
            case ValueType::float32: values.reals[0] = 0.1F; break;
            default: break;
        }
    }
    void write(const VariableGroup&, const Values&) override {}

private:
    VariableInfo& add(const char* name, ValueType type, std::size_t size, const char* unit) {
        VariableInfo info;
        info.name = name;
        info.type = type;
        info.size = size;
        info.unit = unit;
        return list_.emplace_back(info);
    }
    std::vector<VariableInfo> list_;
};

TEST(CsvWriter, every_double_reads_back_to_the_same_bits) {
    const ScratchFile file;
    const std::vector<double> numbers = {0.1,
                                         1.0 / 3.0,
                                         -0.0,
                                         5e-324,
                                         1.7976931348623157e308,
                                         1e-300,
                                         123456789.123456789,
                                         std::nextafter(1.0, 2.0)};
    {
        CsvWriter writer(file.path());
        for (const double number : numbers) writer.real(number);
        writer.end_row();
        writer.close();
    }
    CsvReader reader("a,b,c,d,e,f,g,h\n" + file.text(), "x");
    std::vector<std::string_view> cells;
    ASSERT_TRUE(reader.next(cells));
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        Values back;
        ASSERT_TRUE(append_text(ValueType::float64, cells[i], back));
        EXPECT_EQ(std::bit_cast<std::uint64_t>(back.reals[0]),
                  std::bit_cast<std::uint64_t>(numbers[i]));
    }
}

TEST(CsvWriter, rows_longer_than_the_buffer_arrive_whole) {
    const ScratchFile file;
    const std::string big(1'000'000, 'x');
    CsvWriter writer(file.path());
    for (int i = 0; i < 3; ++i) {
        writer.integer(std::int64_t{i});
        writer.text(big);
        writer.end_row();
    }
    writer.close();
    EXPECT_EQ(file.text(), "0," + big + "\n1," + big + "\n2," + big + "\n");
}

TEST(CsvWriter, an_emergency_writes_complete_rows_only) {
    const ScratchFile file;
    CsvWriter writer(file.path());
    writer.real(1.0);
    writer.end_row();
    writer.real(2.0);
    run_emergency_hooks();
    EXPECT_EQ(file.text(), "1\n");
}

TEST(CsvWriter, a_full_disk_is_reported) {
    CsvWriter writer("/dev/full");
    writer.real(1.0);
    writer.end_row();
    try {
        writer.close();
        FAIL() << "nothing was reported";
    } catch (const OutputError& error) {
        EXPECT_THAT(error.what(), HasSubstr("/dev/full: results cannot be written: No space"));
    }
}

TEST(CsvWriter, a_folder_that_is_not_there_is_the_users_mistake) {
    EXPECT_THROW(CsvWriter("/no/such/folder/x.csv"), InputError);
}

TEST(Recorder, writes_every_type_in_the_order_of_the_list) {
    const ScratchFile file;
    FixedVariables variables;
    CsvWriter writer(file.path());
    Recorder recorder(variables, {0, 1, 2, 3, 4, 5, 6, 7}, writer);
    recorder.write_header(false);
    recorder.record(0.5);
    writer.close();
    EXPECT_EQ(file.text(),
              "time,h,gear,on,name,field[1],field[2],field[3],big,bytes,single\n"
              "0.5,0.30000000000000004,-3,1,\"a \"\"b\"\", c\",1,2,3,18446744073709551615,00ff,"
              "0.1\n");
}

TEST(Recorder, units_stand_in_the_header_on_request) {
    const ScratchFile file;
    FixedVariables variables;
    CsvWriter writer(file.path());
    Recorder recorder(variables, {0, 1}, writer);
    recorder.write_header(true);
    writer.close();
    EXPECT_EQ(file.text(), "time [s],h [m],gear\n");
}

TEST(Recorder, records_outputs_unless_told_otherwise) {
    const FixedVariables variables;
    EXPECT_THAT(select_variables(variables.list(), {}), ElementsAre(0U, 2U));
    EXPECT_THAT(select_variables(variables.list(), {"f*", "h"}), ElementsAre(0U, 4U));
}

TEST(Recorder, without_outputs_everything_that_may_change_is_recorded) {
    FixedVariables variables;
    std::vector<VariableInfo> list = variables.list();
    for (VariableInfo& info : list) info.is_output = false;
    EXPECT_THAT(select_variables(list, {}), ElementsAre(0U, 1U, 2U, 4U, 5U, 6U, 7U));
}

TEST(Recorder, a_pattern_that_matches_nothing_is_a_mistake) {
    const FixedVariables variables;
    try {
        select_variables(variables.list(), {"geer"});
        FAIL() << "the pattern was accepted";
    } catch (const InputError& error) {
        EXPECT_THAT(error.what(), HasSubstr("did you mean 'gear'?"));
    }
}

}  // namespace
}  // namespace tandem::results
