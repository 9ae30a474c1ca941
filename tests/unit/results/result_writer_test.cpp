#include "tandem/extend/result_writer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <poll.h>

#include <filesystem>

#include "results/mat_writer.hpp"
#include "support/allocation_counter.hpp"
#include "support/result_files.hpp"
#include "support/scratch_file.hpp"
#include "support/zip_surgery.hpp"
#include "tandem/error.hpp"

namespace tandem::results {
namespace {

using test::ScratchFile;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::vector<ResultColumn> numbers = {
    {"plant.x", "m", "position", ValueType::float64},
    {"plant.gear", "", "", ValueType::int32},
    {"plant.v", "m/s", "", ValueType::float64},
    {"plant.on", "", "switched on", ValueType::boolean},
    {"plant.big", "", "", ValueType::uint64},
};

/// Rows that tell from their values which row they are.
class NumberRows {
public:
    ResultRow row(long k) {
        const auto x = static_cast<double>(k);
        reals_ = {0.1 * x, -x};
        integers_ = {k - 3, k % 2, -1};
        return {1e-3 * x, reals_, integers_, {}};
    }

private:
    std::vector<double> reals_;
    std::vector<std::int64_t> integers_;
};

std::vector<std::string> names_of(const std::vector<ResultColumn>& columns) {
    std::vector<std::string> names = {"time"};
    for (const ResultColumn& column : columns) names.push_back(column.name);
    return names;
}

/// What is in the file now, although it is still open in this process.
test::Table read_copy(const ScratchFile& file, const char* extension) {
    const ScratchFile copy(extension);
    std::filesystem::copy_file(file.path(), copy.path());
    return test::read_results(copy.path(), names_of(numbers));
}

class EveryFormat : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Formats, EveryFormat, ::testing::Values(".csv", ".mat", ".h5"),
                         [](const auto& format) { return std::string(format.param + 1); });

TEST_P(EveryFormat, columns_can_be_chosen_anew_before_the_first_row) {
    const ScratchFile file(GetParam());
    std::vector<ResultColumn> more(200, {"plant.gone", "", "", ValueType::float64});
    for (std::size_t i = 0; i < more.size(); ++i) more[i].name += std::to_string(i);
    NumberRows rows;
    const auto writer = make_result_writer(file.path());
    const std::atomic<std::uint64_t>* const count = &writer->rows_in_file();
    writer->begin(more);
    writer->begin(numbers);
    for (long k = 0; k < 3; ++k) writer->write(rows.row(k));
    writer->close();
    test::Table table = test::read_results(file.path(), names_of(numbers));
    EXPECT_THAT(table["time"], ElementsAre(0.0, 1e-3, 2e-3));
    EXPECT_THAT(table["plant.v"], ElementsAre(0.0, -1.0, -2.0));
    EXPECT_EQ(test::read_bytes(file.path()).find("plant.gone"), std::string::npos);
    EXPECT_EQ(&writer->rows_in_file(), count);
    EXPECT_EQ(*count, 3U);
}

TEST_P(EveryFormat, rows_come_back_bit_for_bit) {
    const ScratchFile file(GetParam());
    constexpr long count = 50'000;  // several batches and chunks
    NumberRows rows;
    const auto writer = make_result_writer(file.path());
    writer->begin(numbers);
    for (long k = 0; k < count; ++k) writer->write(rows.row(k));
    writer->close();

    test::Table table = test::read_results(file.path(), names_of(numbers));
    for (const std::string& name : names_of(numbers))
        ASSERT_EQ(table[name].size(), static_cast<std::size_t>(count)) << name;
    for (long k = 0; k < count; ++k) {
        const auto i = static_cast<std::size_t>(k);
        const auto x = static_cast<double>(k);
        ASSERT_EQ(table["time"][i], 1e-3 * x);
        ASSERT_EQ(table["plant.x"][i], 0.1 * x);
        ASSERT_EQ(table["plant.v"][i], -x);
        ASSERT_EQ(table["plant.gear"][i], x - 3);
        ASSERT_EQ(table["plant.on"][i], static_cast<double>(k % 2));
        ASSERT_EQ(table["plant.big"][i], 0x1p64);  // 2^64 - 1 as a double
    }
}

TEST_P(EveryFormat, a_flushed_file_is_readable_while_it_is_written) {
    const ScratchFile file(GetParam());
    NumberRows rows;
    const auto writer = make_result_writer(file.path());
    writer->begin(numbers);
    for (long k = 0; k < 5000; ++k) {
        writer->write(rows.row(k));
        if (k % 500 != 0) continue;
        writer->flush();
        test::Table table = read_copy(file, GetParam());
        ASSERT_EQ(table["time"].size(), static_cast<std::size_t>(k + 1));
        ASSERT_EQ(table["plant.v"].back(), -static_cast<double>(k));
    }
}

TEST_P(EveryFormat, rows_reach_the_file_without_further_rows) {
    const ScratchFile file(GetParam());
    NumberRows rows;
    const auto writer = make_result_writer(file.path());
    writer->begin(numbers);
    for (long k = 0; k < 10; ++k) writer->write(rows.row(k));
    poll(nullptr, 0, 1000);  // what is promised to be in the file after this second
    EXPECT_EQ(read_copy(file, GetParam())["time"].size(), 10U);
}

TEST_P(EveryFormat, a_file_without_rows_is_readable) {
    const ScratchFile file(GetParam());
    const auto writer = make_result_writer(file.path());
    writer->begin(numbers);
    writer->close();
    const test::Table table = test::read_results(file.path(), names_of(numbers));
    ASSERT_EQ(table.size(), 6U);
    EXPECT_TRUE(table.at("plant.x").empty());
}

TEST_P(EveryFormat, time_alone_is_enough) {
    const ScratchFile file(GetParam());
    const auto writer = make_result_writer(file.path());
    writer->begin({});
    for (int k = 0; k < 3; ++k) {
        writer->write({static_cast<double>(k), {}, {}, {}});
        writer->flush();
    }
    writer->close();
    EXPECT_THAT(test::read_results(file.path(), {"time"})["time"], ElementsAre(0.0, 1.0, 2.0));
}

TEST_P(EveryFormat, writing_a_row_allocates_nothing) {
    const ScratchFile file(GetParam());
    NumberRows rows;
    const auto writer = make_result_writer(file.path());
    writer->begin(numbers);
    const ResultRow row = rows.row(1);
    const test::AllocationCounter counter;
    for (int k = 0; k < 1000; ++k) writer->write(row);
    EXPECT_EQ(counter.count(), 0);
}

TEST_P(EveryFormat, a_folder_that_is_not_there_is_the_users_mistake) {
    EXPECT_THROW(make_result_writer(std::string("/no/such/folder/x") + GetParam()), InputError);
}

TEST(ResultWriter, an_unknown_extension_names_the_known_ones) {
    for (const char* path : {"results.xls", "results"}) {
        try {
            make_result_writer(path);
            FAIL() << path << " was accepted";
        } catch (const InputError& error) {
            EXPECT_THAT(error.hint(), HasSubstr(".csv (text) or .h5 (HDF5)"));
        }
    }
}

TEST(ResultWriter, the_extension_may_be_in_capitals) {
    const ScratchFile file(".MAT");
    make_result_writer(file.path())->begin(numbers);
    EXPECT_EQ(test::MatFile(file.path()).matrices().front(), "Aclass");
}

TEST(MatWriter, the_file_holds_the_matrices_of_a_modelica_result) {
    const ScratchFile file(".mat");
    NumberRows rows;
    {
        MatWriter writer(file.path());
        writer.begin(numbers);
        for (long k = 0; k < 3; ++k) writer.write(rows.row(k));
    }
    test::MatFile mat(file.path());
    EXPECT_THAT(mat.matrices(),
                ElementsAre("Aclass", "name", "description", "dataInfo", "data_1", "data_2"));
    EXPECT_THAT(mat.texts("description"),
                ElementsAre("Simulation time [s]", "position [m]", "", "[m/s]", "switched on", ""));
    std::size_t height = 0;
    EXPECT_THAT(mat.doubles("data_1", height), ElementsAre(0.0, 0.002));
}

TEST(MatWriter, what_is_not_a_number_is_left_out) {
    const ScratchFile file(".mat");
    {
        MatWriter writer(file.path());
        writer.begin({{"a", "", "", ValueType::string}, {"b", "", "", ValueType::float64}});
        const std::vector<std::string_view> texts = {"x"};
        const std::vector<double> reals = {2.5};
        writer.write({0.0, reals, {}, texts});
    }
    EXPECT_THAT(test::MatFile(file.path()).texts("name"), ElementsAre("time", "b"));
    EXPECT_THAT(test::read_mat_results(file.path())["b"], ElementsAre(2.5));
}

TEST(MatWriter, an_emergency_writes_the_rows_that_are_complete) {
    const ScratchFile file(".mat");
    NumberRows rows;
    MatWriter writer(file.path());
    writer.begin(numbers);
    for (long k = 0; k < 7; ++k) writer.write(rows.row(k));
    run_emergency_hooks();
    EXPECT_EQ(test::read_mat_results(file.path())["plant.x"].size(), 7U);
}

TEST(MatWriter, a_full_disk_is_reported) {
    MatWriter writer("/dev/full");
    EXPECT_THROW(writer.begin(numbers), OutputError);
}

std::string text_attribute(hid_t file, const char* dataset, const char* name) {
    const hid_t attribute = H5Aopen_by_name(file, dataset, name, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t type = H5Aget_type(attribute);
    char* text = nullptr;
    H5Aread(attribute, type, &text);
    const std::string value = text;
    H5free_memory(text);
    H5Tclose(type);
    H5Aclose(attribute);
    return value;
}

TEST(Hdf5Writer, each_column_is_a_dataset_that_knows_its_unit) {
    const ScratchFile file(".h5");
    {
        const auto writer = make_result_writer(file.path());
        writer->begin(numbers);
    }
    const hid_t h5 = H5Fopen(file.path().c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    EXPECT_EQ(text_attribute(h5, "plant.v", "unit"), "m/s");
    EXPECT_EQ(text_attribute(h5, "plant.x", "description"), "position");
    EXPECT_EQ(text_attribute(h5, "plant.on", "type"), "boolean");
    EXPECT_EQ(text_attribute(h5, "time", "unit"), "s");
    H5Fclose(h5);
}

TEST(Hdf5Writer, texts_and_bytes_are_text_datasets) {
    const ScratchFile file(".h5");
    {
        const auto writer = make_result_writer(file.path());
        writer->begin({{"state/a", "", "", ValueType::string}, {"raw", "", "", ValueType::binary}});
        const std::vector<std::string_view> texts = {"idle \xc3\xa4",
                                                     std::string_view("\0\xff", 2)};
        writer->write({0.0, {}, {}, texts});
    }
    const hid_t h5 = H5Fopen(file.path().c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    const auto first = [h5](const char* name) {
        const hid_t dataset = H5Dopen2(h5, name, H5P_DEFAULT);
        H5Sclose(H5Dget_space(dataset));  // a view learns its length from this call
        const hid_t type = H5Dget_type(dataset);
        std::string value(H5Tget_size(type), '\0');
        H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, value.data());
        H5Tclose(type);
        H5Dclose(dataset);
        return std::string(value.c_str());
    };
    EXPECT_EQ(first("state:a"), "idle \xc3\xa4");
    EXPECT_EQ(first("raw"), "00ff");
    H5Fclose(h5);
}

TEST(Hdf5Writer, a_variable_called_like_another_dataset_gets_a_name_of_its_own) {
    const ScratchFile file(".h5");
    {
        const auto writer = make_result_writer(file.path());
        writer->begin({{"time", "", "", ValueType::float64}, {"rows", "", "", ValueType::float64}});
        const std::vector<double> reals = {7.0, 8.0};
        writer->write({0.0, reals, {}, {}});
    }
    const auto table = test::read_hdf5_results(file.path(), {"time", "time (2)", "rows (2)"});
    EXPECT_THAT(table.at("time"), ElementsAre(0.0));
    EXPECT_THAT(table.at("time (2)"), ElementsAre(7.0));
    EXPECT_THAT(table.at("rows (2)"), ElementsAre(8.0));
}

}  // namespace
}  // namespace tandem::results
