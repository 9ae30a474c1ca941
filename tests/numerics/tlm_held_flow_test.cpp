#include <gtest/gtest.h>

#include <cmath>

#include "coupling/explicit/explicit.hpp"
#include "support/hidden_subsystem.hpp"
#include "support/tlm_models.hpp"
#include "tlm/line_subsystem.hpp"

namespace tandem::test {
namespace {

constexpr double delay = 4e-4;

/// The two masses of examples/tlm_spring_mass as subsystems that take values and slopes of their
/// inputs but no laws: the waves in their efforts are straight lines, the flows are held.
class HeldFlows {
public:
    explicit HeldFlows(double step) : step_(step) {
        tlm::TlmOptions options;
        options.name = "spring";
        options.delay = delay;
        options.impedance = {0.4};
        options.sign = -1.0;
        element_ = std::make_shared<tlm::TlmElement>(options);
        std::vector<std::unique_ptr<Subsystem>> ends;
        ends.push_back(made("TlmLeft", "v3", "F3", 0));
        ends.push_back(made("TlmRight", "v1", "F1", 1));
        for (auto& end : ends) end->enter_initialisation({.stop = 10.0, .tolerance = {}});
        for (auto& end : ends) end->exit_initialisation();
        system_ = std::make_unique<System>(std::move(ends), std::vector<Link>{});
        coupling_.prepare(*system_, 0.0);
    }

    /// The force on the left mass at the end of a step.
    double force_at(double t) {
        while (done_ < std::lround(t / step_)) {
            const auto k = static_cast<double>(done_++);
            EXPECT_TRUE(coupling_.advance(*system_, {step_ * k, step_ * (k + 1.0)}));
        }
        return left_->inputs()[port_of(left_->interface().inputs, "F3")];
    }

private:
    std::unique_ptr<tlm::TlmSubsystem> made(const std::string& model, const std::string& flow,
                                            const std::string& effort, int end) {
        auto host = hosted(model);
        tlm::TlmPorts ports;
        ports.flows = {static_cast<int>(port_of(host->interface().outputs, flow))};
        ports.efforts = {static_cast<int>(port_of(host->interface().inputs, effort))};
        if (end == 0) left_ = host.get();
        std::vector<tlm::TlmEnd> ends;
        ends.emplace_back(element_, end, std::move(ports),
                          tlm::TlmReading{tlm::TlmExchange::coarse});
        auto made = std::make_unique<tlm::TlmSubsystem>(
            std::make_unique<HiddenSubsystem>(std::move(host)), std::move(ends));
        made->expect_steps({step_, step_});
        return made;
    }

    double step_;
    long done_ = 0;
    std::shared_ptr<tlm::TlmElement> element_;
    ode::HostedOde* left_ = nullptr;
    std::unique_ptr<System> system_;
    coupling::Explicit coupling_{{}};
};

// The rows "v held" of the table of forces, computed with exact solvers.
TEST(HeldFlows, give_forces_as_computed_with_exact_solvers) {
    struct Row {
        double step;
        double early, middle, late, last;  // at 0.12, 0.2, 0.3 and 0.5 s
    };
    for (const Row& row : {Row{2e-4, 53.5655254, 91.9275143, 99.7030196, 100.49977},
                           Row{1e-4, 53.3934467, 90.8782989, 100.355169, 99.5431188}}) {
        HeldFlows flows(row.step);
        EXPECT_NEAR(flows.force_at(0.12), row.early, 1e-5 * row.early) << row.step;
        EXPECT_NEAR(flows.force_at(0.2), row.middle, 1e-5 * row.middle) << row.step;
        EXPECT_NEAR(flows.force_at(0.3), row.late, 1e-5 * row.late) << row.step;
        EXPECT_NEAR(flows.force_at(0.5), row.last, 1e-5 * row.last) << row.step;
    }
}

}  // namespace
}  // namespace tandem::test
