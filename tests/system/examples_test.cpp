#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "files/csv_reader.hpp"
#include "support/example_folder.hpp"
#include "tandem/value.hpp"

namespace tandem {
namespace {

namespace fs = std::filesystem;

using Columns = std::map<std::string, std::vector<double>>;

struct Figure {
    std::string variable;
    double time, value, tolerance;
};

double number(std::string_view text) {
    Values values;
    EXPECT_TRUE(append_text(ValueType::float64, text, values)) << text;
    return values.reals.empty() ? std::nan("") : values.reals[0];
}

std::vector<Figure> expected_figures(const std::string& example,
                                     const std::string& file = "expected.csv") {
    const std::string path = TANDEM_SOURCE_DIR "/examples/" + example + "/" + file;
    CsvReader reader(read_text_file(path), path);
    std::vector<Figure> figures;
    std::vector<std::string_view> cells;
    while (reader.next(cells))
        figures.push_back(
            {std::string(cells[0]), number(cells[1]), number(cells[2]), number(cells[3])});
    return figures;
}

Columns read_columns(const std::string& path) {
    CsvReader reader(read_text_file(path), path);
    Columns columns;
    std::vector<std::string_view> cells;
    while (reader.next(cells))
        for (std::size_t i = 0; i < cells.size(); ++i)
            columns[reader.header()[i]].push_back(number(cells[i]));
    return columns;
}

/// The row of the communication point `time`; the last one, if events made several.
std::size_t row_of(const Columns& columns, double time) {
    const std::vector<double>& times = columns.at("time");
    for (std::size_t k = times.size(); k-- > 0;)
        if (std::abs(times[k] - time) < 1e-9) return k;
    ADD_FAILURE() << "there is no row at t = " << time;
    return 0;
}

class Examples : public ::testing::Test {
protected:
    std::string in_folder(const std::string& name) const { return folder_.in_folder(name); }

    void tandem(const std::string& arguments) const {
        const std::string command = std::string(TANDEM_EXE) + " " + arguments + " 2>&1";
        std::FILE* pipe = popen(command.c_str(), "r");
        ASSERT_NE(pipe, nullptr);
        std::string output;
        std::array<char, 4096> buffer{};
        while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe))
            output.append(buffer.data(), count);
        const int status = pclose(pipe);
        ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << command << "\n" << output;
    }

    Columns results_of(const std::string& system, const std::string& options = "") const {
        const std::string output = in_folder("out.csv");
        tandem("run " + in_folder(system) + " " + options + " --output " + output);
        return HasFatalFailure() ? Columns{} : read_columns(output);
    }

    static void expect_figures(const std::string& example, const Columns& columns,
                               const std::string& file = "expected.csv") {
        if (columns.empty()) return;
        const std::vector<Figure> figures = expected_figures(example, file);
        ASSERT_FALSE(figures.empty());
        for (const Figure& figure : figures) {
            ASSERT_TRUE(columns.contains(figure.variable)) << figure.variable;
            EXPECT_NEAR(columns.at(figure.variable).at(row_of(columns, figure.time)), figure.value,
                        figure.tolerance)
                << figure.variable << " at t = " << figure.time;
        }
    }

    void run_as_committed(const std::string& example) const {
        expect_figures(example, results_of("examples/" + example + "/system.toml"));
    }

    test::ExampleFolder folder_;
};

TEST_F(Examples, controlled_plant_gives_the_figures_of_the_whole_system) {
    run_as_committed("controlled_plant");
}

TEST_F(Examples, quarter_car_gives_the_figures_of_the_whole_system) {
    run_as_committed("quarter_car");
}

TEST_F(Examples, oscillator_ring_gives_the_sum_of_its_modes) {
    run_as_committed("oscillator_ring");
}

TEST_F(Examples, nested_ssp_gives_the_figures_of_each_end) { run_as_committed("nested_ssp"); }

TEST_F(Examples, that_exchange_power_give_the_figures_of_their_coupling_and_of_one_equation) {
    for (const std::string example : {"viel_linear", "viel_hydraulic", "pendulum_oscillator"}) {
        SCOPED_TRACE(example);
        run_as_committed(example);
        expect_figures(example,
                       results_of("examples/" + example + "/system.toml",
                                  "--coupling aggregate --option tolerance=1e-11"),
                       "expected_exact.csv");
    }
}

TEST_F(Examples, with_transmission_lines_give_their_figures) {
    for (const std::string example :
         {"tlm_spring_mass", "tlm_hydraulic", "tlm_3d_pendulum", "tlm_mechanism"}) {
        SCOPED_TRACE(example);
        run_as_committed(example);
    }
}

TEST_F(Examples, give_bit_for_bit_the_same_as_packages) {
    int examples = 0;
    for (const auto& entry : fs::directory_iterator(in_folder("examples"))) {
        const std::string name = "examples/" + entry.path().filename().string() + "/system.toml";
        if (!fs::exists(in_folder(name))) continue;
        SCOPED_TRACE(name);
        ++examples;
        const Columns from_toml = results_of(name, "--stop 0.5");
        ASSERT_FALSE(from_toml.empty());
        tandem("export " + in_folder(name) + " -o " + in_folder("system.ssp"));
        tandem("check " + in_folder("system.ssp"));
        EXPECT_EQ(results_of("system.ssp", "--stop 0.5"), from_toml);
    }
    EXPECT_GE(examples, 4);
}

// About one and a half steps of dead time in the loop: at 1 ms they use up its damping. The speed
// of the whole system is below 0.1 rad/s from t = 1.05 s on.
// The figures come from an independent integration to 1e-11, printed with 11 digits.
TEST_F(Examples, race_car_has_a_reference_that_is_right_to_a_nanometre) {
    const Columns reference = read_columns(in_folder("examples/race_car/reference.csv"));
    EXPECT_EQ(reference.at("time").size(), 201U);
    for (const Figure& figure : expected_figures("race_car"))
        EXPECT_NEAR(reference.at(figure.variable)[row_of(reference, figure.time)], figure.value,
                    1e-9);
}

// 0.1 mm on a course that is 33 m wide: the least range of the two columns.
TEST_F(Examples, race_car_shows_its_course_and_its_error_in_the_report) {
    tandem("run " + in_folder("examples/race_car/system_native.toml") + " --quiet --output " +
           in_folder("out.csv") + " --report " + in_folder("car.html"));
    tandem("compare " + in_folder("examples/race_car/reference.csv") + " " + in_folder("out.csv") +
           " --tolerance 3e-6");
    EXPECT_THAT(read_text_file(in_folder("car.html")),
                ::testing::AllOf(::testing::HasSubstr("\"title\":\"The course\",\"equal\":true"),
                                 ::testing::HasSubstr("Error against reference.csv"),
                                 ::testing::HasSubstr("<th scope=\"row\">chassis.X</th>")));
}

TEST_F(Examples, controlled_plant_keeps_ringing_at_a_step_of_one_millisecond) {
    const Columns columns = results_of("examples/controlled_plant/system.toml", "--step 1e-3");
    ASSERT_FALSE(columns.empty());
    double largest = 0.0;
    for (std::size_t k = row_of(columns, 1.45); k < row_of(columns, 1.5); ++k)
        largest = std::max(largest, std::abs(columns.at("plant.speed").at(k)));
    EXPECT_GT(largest, 5.0);
    EXPECT_LT(largest, 20.0);
}

// Linear extrapolation: half the step, a quarter of the error.
TEST_F(Examples, oscillator_ring_converges_with_second_order) {
    const auto largest_error = [&](const std::string& step) {
        const Columns columns =
            results_of("examples/oscillator_ring/system.toml", "--step " + step);
        if (columns.empty()) return std::nan("");
        double largest = 0.0;
        for (const Figure& figure : expected_figures("oscillator_ring"))
            largest = std::max(
                largest, std::abs(columns.at(figure.variable).at(row_of(columns, figure.time)) -
                                  figure.value));
        return largest;
    };
    // Between 3.5 and 4.5: the next term of the error is of the relative size of the step times
    // the highest frequency, 0.004 * 10.
    EXPECT_NEAR(largest_error("0.004") / largest_error("0.002"), 4.0, 0.5);
}

// No subsystem acts back: one after the other, each has the inputs of the end of its step.
TEST_F(Examples, super_subsystem_gives_the_same_figures_on_one_thread_and_on_two) {
    run_as_committed("super_subsystem");
    expect_figures("super_subsystem",
                   results_of("examples/super_subsystem/system_native.toml", "--threads 1"));
}

TEST_F(Examples, chain_needs_no_iteration) {
    for (const std::string file : {"system.toml", "system_native.toml"})
        expect_figures("chain", results_of("examples/chain/" + file, "--coupling gauss_seidel"));
}

// Figures of implicit Euler with the inputs of the start of each step.
TEST_F(Examples, one_cycle_without_iteration_swings_too_far) {
    for (const std::string file : {"system.toml", "system_native.toml"}) {
        const Columns columns = results_of("examples/one_cycle/" + file, "--coupling jacobi");
        ASSERT_FALSE(columns.empty());
        EXPECT_NEAR(columns.at("s1.x").at(row_of(columns, 1.0)), -0.2633614796262701, 1e-12);
        EXPECT_NEAR(columns.at("s2.x").at(row_of(columns, 1.0)), -1.5312685632083878, 1e-12);
        EXPECT_NEAR(columns.at("s1.x").at(row_of(columns, 5.0)), -0.37316424132212433, 1e-12);
        EXPECT_NEAR(columns.at("s2.x").at(row_of(columns, 5.0)), 0.40885915003814854, 1e-12);
    }
}

// The loop gain is R, about 1000, and once around it takes two steps. Figures of four digits.
TEST_F(Examples, bspk6_without_iteration_grows_a_thousandfold_in_two_steps) {
    const Columns columns =
        results_of("examples/bspk6/system.toml", "--coupling jacobi --stop 8e-4");
    ASSERT_FALSE(columns.empty());
    const std::vector<double> largest = {1.885e-07, 5.653e-07, 0.0001898, 0.0005678,
                                         0.19,      0.5685,    190.2,     569.2};
    for (std::size_t k = 0; k < largest.size(); ++k) {
        double seen = 0.0;
        for (const char* name : {"s0.y1", "s0.y2", "s1.y", "s2.y"})
            seen = std::max(seen, std::abs(columns.at(name).at(k + 1)));
        EXPECT_NEAR(seen, largest[k], 5e-4 * largest[k]) << k;
    }
}

// With loops and switches inside. Their solver works to 1e-8; figures are given to 1e-9.
TEST_F(Examples, with_cycles_have_the_exact_figures_as_one_equation) {
    for (const std::string example :
         {"bspk6", "bspk6_passive", "chain", "one_cycle", "two_cycles", "dae"}) {
        SCOPED_TRACE(example);
        const Columns columns = results_of("examples/" + example + "/system_exact.toml",
                                           "--coupling aggregate --step 0.01");
        ASSERT_FALSE(columns.empty());
        for (const Figure& figure : expected_figures(example, "expected_exact.csv"))
            EXPECT_NEAR(columns.at(figure.variable).at(row_of(columns, figure.time)), figure.value,
                        1e-7)
                << figure.variable << " at t = " << figure.time;
    }
}

}  // namespace
}  // namespace tandem
