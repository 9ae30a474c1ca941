#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "ode/host/hosted_ode.hpp"
#include "support/race_car_group.hpp"

namespace tandem {
namespace {

test::OdeShop& shop() {
    static test::OdeShop one(TANDEM_FMU_DIR);
    return one;
}

struct Position {
    double t, x, y;
};

// An implementation in another language, integrated to 1e-11 with events found to 2e-14 s.
const std::vector<Position> course = {{5.0, -12.283999109, 38.346373643},
                                      {10.0, 12.588945529, 14.772654483},
                                      {20.0, -0.41410976461, -0.07218342413}};

// 0.1 mm on a course of 240 m at a tolerance of 1e-6, whose errors add up over 20 s.
constexpr double closeness = 1e-4;

/// A mode of contact or slip that has changed: its number among those of all wheels, and to what.
using Change = std::pair<std::size_t, bool>;

struct Drive {
    std::vector<Change> changes;
    long events = 0;
    double largest_error = 0.0;
};

/// Contact and slip: indicators 0 and 5 to 8 of each wheel, behind the four of the chassis.
std::vector<bool> modes_of(std::span<const double> z) {
    std::vector<bool> modes;
    for (std::size_t wheel = 0; wheel < 4; ++wheel)
        for (const std::size_t i : {0, 5, 6, 7, 8}) modes.push_back(z[4 + 10 * wheel + i] > 0.0);
    return modes;
}

Drive drive(std::unique_ptr<ode::OdeModel> model, ode::Method method) {
    ode::HostedOdeOptions options;
    options.solver.method = method;
    options.solver.relative_tolerance = 1e-6;
    Drive result;
    std::vector<bool> modes;
    ode::OdeModel* car = model.get();
    std::vector<double> z(44);
    options.on_event = [&](const ode::EventNotice& notice) {
        if (!notice.state_event || !notice.after) return;
        EXPECT_TRUE(car->indicators(z));
        const std::vector<bool> now = modes_of(z);
        for (std::size_t i = 0; i < now.size(); ++i)
            if (!modes.empty() && now[i] != modes[i]) result.changes.emplace_back(i, now[i]);
        modes = now;
    };
    ode::HostedOde host(std::move(model), options);
    host.enter_initialisation({0.0, 20.0, 1e-6});
    host.exit_initialisation();
    EXPECT_TRUE(host.model().indicators(z));
    modes = modes_of(z);
    double t = 0.0;
    for (const Position& expected : course) {
        EXPECT_EQ(host.step({t, expected.t}).outcome, Outcome::complete);
        t = expected.t;
        result.largest_error =
            std::max({result.largest_error, std::abs(host.states()[0] - expected.x),
                      std::abs(host.states()[1] - expected.y)});
    }
    result.events = host.statistics().state_events;
    return result;
}

// Counts of the reference: FL slip 10, FR contact 2, slip 2 + 2, RL slip 6, RR slip 2.
TEST(RaceCarGroup, drives_the_course_with_the_contacts_and_slips_of_the_whole_car) {
    for (const ode::Method method : {ode::Method::cvode_bdf, ode::Method::dopri5}) {
        const Drive whole = drive(shop().make("RaceCar", "native", "car"), method);
        EXPECT_EQ(whole.changes.size(), 24u);
        for (const std::string kind : {"native", "fmi2", "fmi3"}) {
            SCOPED_TRACE(std::string(ode::to_string(method)) + ", " + kind);
            const Drive group = drive(test::race_car_group(shop(), kind), method);
            EXPECT_LT(group.largest_error, closeness);
            EXPECT_EQ(group.events, 344);
            EXPECT_EQ(group.changes, whole.changes);
        }
    }
}

}  // namespace
}  // namespace tandem
