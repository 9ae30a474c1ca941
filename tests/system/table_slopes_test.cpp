#include <gtest/gtest.h>

#include "support/model_kinds.hpp"
#include "support/system_file.hpp"

namespace tandem::test {
namespace {

/// A table passes a subsystem without states and is integrated by the next one.
std::string text_of(const std::string& kind) {
    return "connections = [\"table.v -> direct.u\", \"direct.y -> integrator.u\"]\n"
           "[experiment]\nstop = 1\nstep = 0.01\n[subsystems.table]\nsource = \"pulse.csv\"\n" +
           subsystem_text("direct", "LinearOde", kind, "a = 0.0, b = 0.0, c = 0.0, d = 1.0") +
           subsystem_text("integrator", "LinearOde", kind, "a = 0.0, b = 1.0, c = 1.0");
}

/// A triangle of height 100 and width 1 ms: its area is 0.05.
std::string pulse(double middle) {
    return fmt::format("time,v\n0,0\n{},0\n{},100\n{},0\n2,0\n", middle - 0.5e-3, middle,
                       middle + 0.5e-3);
}

// The slope of -2e5 at its end, followed for a whole communication step, is 200 times the area.
TEST(SlopesOfTables, end_where_the_table_breaks) {
    for (const std::string kind : {"native", "fmi2_me", "fmi3_me", "fmi1_cs", "fmi2_cs", "fmi3_cs"})
        for (const std::string order : {"0", "1", "2"})
            // Its last row is between communication points, on one, and just behind one.
            for (const double middle : {0.4123, 0.4195, 0.41952}) {
                SCOPED_TRACE(fmt::format("{} order {} {}", kind, order, middle));
                SystemFile file(text_of(kind));
                file.add("pulse.csv", pulse(middle));
                run::SystemRunOptions options = file.options();
                options.coupling = "jacobi";
                options.options = {"order=" + order};
                const Columns columns = numbers_of(file.run_text(options));
                // Steps end at its rows; inside it the first values are held.
                EXPECT_NEAR(columns.at("integrator.y").back(), 0.05, 0.026);
            }
}

}  // namespace
}  // namespace tandem::test
