#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <regex>

#include "files/temporary_folder.hpp"
#include "files/zip.hpp"
#include "support/system_file.hpp"

namespace tandem {
namespace {

using test::Columns;
using test::SystemFile;

/// LinearOde as an FMU that only holds its inputs: the same with other words in its description.
struct Plain {
    std::string fmu;
    std::string was, is;  ///< what it says about inputs inside a step
};

void write_plain(const Plain& plain, const std::string& path) {
    const ZipReader original(std::string(TANDEM_FMU_DIR) + "/" + plain.fmu);
    std::vector<ZipItem> items;
    for (std::size_t i = 0; i < original.entries().size(); ++i) {
        const ZipEntry& entry = original.entries()[i];
        if (entry.is_folder) continue;
        std::string bytes = original.read(i);
        if (entry.name == "modelDescription.xml") {
            ASSERT_NE(bytes.find(plain.was), std::string::npos);
            bytes = std::regex_replace(bytes, std::regex(plain.was), plain.is);
        }
        const std::string extension = "tandem_set_input_law";
        if (const auto place = bytes.find(extension); place != std::string::npos)
            bytes.replace(place, extension.size(), "another_name_for_it_");
        items.push_back({entry.name, std::move(bytes), {}, entry.is_executable});
    }
    write_zip(path, items);
}

class InputFallback : public ::testing::TestWithParam<Plain> {
protected:
    InputFallback() : fmu_(folder_.path() / "plain.fmu") { write_plain(GetParam(), fmu_); }

    /// A: x' = -x, x(0) = 1, so y = exp(-t), feeds B: x' = -x + u, x(0) = 0, so x = t exp(-t).
    double error_of(int order, double step) {
        SystemFile file("connections = [\"A.y -> B.u\"]\n[experiment]\nstop = 2\n" +
                        fmt::format("[subsystems.B]\nsource = \"{}\"\nkind = \"cs\"\n", fmu_) +
                        test::subsystem_text("A", "LinearOde", "native", "x = 1"));
        run::SystemRunOptions options = file.options();
        options.step = step;
        options.tolerance = 1e-10;
        options.options = {fmt::format("order={}", order)};
        options.on_call = [this](const std::string& instance, const std::string& call) {
            if (instance == "B" && call.find("nputDerivatives") != std::string::npos)
                gave_derivatives_ = true;
        };
        const Columns columns = test::numbers_of(file.run_text(std::move(options)));
        double largest = 0.0;
        for (std::size_t k = 0; k < columns.at("time").size(); ++k) {
            const double t = columns.at("time")[k];
            largest = std::max(largest, std::abs(columns.at("B.y")[k] - t * std::exp(-t)));
        }
        return largest;
    }

    TemporaryFolder folder_;
    std::string fmu_;
    bool gave_derivatives_ = false;
};
const Plain plain_fmus[] = {
    {"LinearOde_fmi1_cs.fmu", "canInterpolateInputs=\"true\"", "canInterpolateInputs=\"false\""},
    {"LinearOde_fmi2.fmu", "canInterpolateInputs=\"true\"", "canInterpolateInputs=\"false\""},
    {"LinearOde_fmi3.fmu", "providesIntermediateUpdate=\"true\"",
     "providesIntermediateUpdate=\"false\""}};
INSTANTIATE_TEST_SUITE_P(Versions, InputFallback, ::testing::ValuesIn(plain_fmus),
                         [](const auto& plain) { return plain.param.fmu.substr(10, 4); });

// The mean of the extrapolated course over a step, held, moves the state as the course does but for
// terms of third order a step: second order in all. The value at the start gives the first.
TEST_P(InputFallback, holds_the_value_that_keeps_the_second_order) {
    // The next terms of the error are of the relative size h.
    EXPECT_NEAR(error_of(0, 0.02) / error_of(0, 0.01), 2.0, 0.1);
    EXPECT_NEAR(error_of(1, 0.02) / error_of(1, 0.01), 4.0, 0.3);
    EXPECT_LT(error_of(1, 0.01), 0.02 * error_of(0, 0.01));
    EXPECT_FALSE(gave_derivatives_);
}

}  // namespace
}  // namespace tandem
