#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "kit/native_ode.hpp"
#include "support/model_kinds.hpp"
#include "support/race_car_points.hpp"

namespace tandem {
namespace {

const std::array<std::string, 4> wheel_names = {"fl", "fr", "rl", "rr"};

/// A model with the point it is evaluated at.
struct Member {
    explicit Member(const std::string& model)
        : ode(test::library_of(model).model_class(), model),
          x(ode.shape().states.size()),
          u(ode.shape().inputs.size()),
          y(ode.shape().outputs.size()),
          dx(x.size()) {}

    kit::NativeOde ode;
    std::vector<double> x, u, y, dx;
};

struct Link {
    std::size_t from, output, to, input;
};

/// "P_fl[2]" and "fl": "P[2]"; "R[2]" stays; "P_fr[2]" and "fl": nothing.
std::string name_at_wheel(const std::string& name, const std::string& wheel) {
    const std::size_t mark = name.find('_');
    if (mark == std::string::npos) return name;
    return name.substr(mark + 1, 2) == wheel ? name.substr(0, mark) + name.substr(mark + 3) : "";
}

std::map<std::string, std::size_t> positions(const std::vector<Port>& ports) {
    std::map<std::string, std::size_t> result;
    for (std::size_t i = 0; i < ports.size(); ++i) result.emplace(ports[i].name, i);
    return result;
}

/// Chassis and wheels, every output of one tied to the input of the same name of the other.
class RaceCar {
public:
    RaceCar() {
        members_.push_back(std::make_unique<Member>("RaceChassis"));
        for (std::size_t k = 0; k < wheel_names.size(); ++k) {
            members_.push_back(std::make_unique<Member>("RaceWheel"));
            if (k >= 2) set_rear_spring(*members_.back());
            tie(0, k + 1, wheel_names[k]);
        }
        for (auto& member : members_) {
            member->ode.enter_initialisation({0.0, 20.0, 1e-6});
            member->ode.get_start_inputs(member->u);
            member->ode.get_states(member->x);
        }
        exchange(0.0);
        for (auto& member : members_) member->ode.exit_initialisation();
    }

    const std::vector<Link>& links() const { return links_; }
    const std::vector<std::unique_ptr<Member>>& members() const { return members_; }

    std::vector<double> states() const {
        std::vector<double> x;
        for (const auto& member : members_) x.insert(x.end(), member->x.begin(), member->x.end());
        return x;
    }

    /// With the modes as they are after an event at this point.
    std::vector<double> derivatives(double t, const std::vector<double>& x) {
        auto next = x.begin();
        for (auto& member : members_) {
            std::copy_n(next, member->x.size(), member->x.begin());
            next += static_cast<std::ptrdiff_t>(member->x.size());
        }
        // Modes of contact act on forces, these on other modes.
        for (int pass = 0; pass < 3; ++pass) {
            exchange(t);
            for (auto& member : members_) member->ode.update_discrete();
        }
        exchange(t);
        std::vector<double> dx;
        for (auto& member : members_) {
            EXPECT_TRUE(member->ode.derivatives(member->dx));
            dx.insert(dx.end(), member->dx.begin(), member->dx.end());
        }
        return dx;
    }

private:
    static void set_rear_spring(Member& wheel) {
        for (kit::Record& record : wheel.ode.engine().records()) {
            if (record.name == "ks") *static_cast<double*>(record.data) = 70e3;
            if (record.name == "l0") *static_cast<double*>(record.data) = 0.1039;
            if (record.name == "zw") *static_cast<double*>(record.data) = 0.322120;
        }
    }

    void tie(std::size_t chassis, std::size_t wheel, const std::string& name) {
        const ode::OdeShape& body = members_[chassis]->ode.shape();
        const ode::OdeShape& round = members_[wheel]->ode.shape();
        const auto inputs = positions(round.inputs);
        for (std::size_t i = 0; i < body.outputs.size(); ++i)
            if (const auto to = inputs.find(name_at_wheel(body.outputs[i].name, name));
                to != inputs.end())
                links_.push_back({chassis, i, wheel, to->second});
        const auto outputs = positions(round.outputs);
        for (std::size_t i = 0; i < body.inputs.size(); ++i)
            if (const auto from = outputs.find(name_at_wheel(body.inputs[i].name, name));
                from != outputs.end())
                links_.push_back({wheel, from->second, chassis, i});
    }

    // Motion, compression, forces, torques: after four rounds nothing changes any more.
    void exchange(double t) {
        for (int round = 0; round < 5; ++round) {
            for (auto& member : members_) {
                ASSERT_TRUE(member->ode.set_point({t, member->x, member->u}));
                ASSERT_TRUE(member->ode.outputs(member->y));
            }
            for (const Link& link : links_)
                members_[link.to]->u[link.input] = members_[link.from]->y[link.output];
        }
        for (auto& member : members_) ASSERT_TRUE(member->ode.set_point({t, member->x, member->u}));
    }

    std::vector<std::unique_ptr<Member>> members_;
    std::vector<Link> links_;
};

struct Knowns {
    std::vector<double>* values;
    const ode::Pattern* of_derivatives;
    const ode::Pattern* of_outputs;
};

void expect_zeros(const ode::Pattern& pattern, std::size_t column,
                  std::pair<const std::vector<double>&, const std::vector<double>&> results) {
    ASSERT_TRUE(pattern.entries.has_value());
    for (std::size_t row = 0; row < results.first.size(); ++row) {
        const std::pair<int, int> entry{static_cast<int>(row), static_cast<int>(column)};
        if (std::ranges::find(*pattern.entries, entry) != pattern.entries->end()) continue;
        EXPECT_EQ(results.first[row], results.second[row]) << row << ", " << column;
    }
}

void evaluate(Member& member, double t, std::vector<double>& dx, std::vector<double>& y) {
    ASSERT_TRUE(member.ode.set_point({t, member.x, member.u}));
    ASSERT_TRUE(member.ode.derivatives(dx));
    ASSERT_TRUE(member.ode.outputs(y));
}

void expect_no_other(Member& member, double t, const Knowns& knowns) {
    std::vector<double> dx(member.dx.size()), y(member.y.size());
    evaluate(member, t, member.dx, member.y);
    for (std::size_t column = 0; column < knowns.values->size(); ++column) {
        double& value = (*knowns.values)[column];
        const double kept = value;
        value += 1e-3 * (1.0 + std::abs(value));
        evaluate(member, t, dx, y);
        value = kept;
        SCOPED_TRACE(member.ode.name());
        expect_zeros(*knowns.of_derivatives, column, {member.dx, dx});
        expect_zeros(*knowns.of_outputs, column, {member.y, y});
    }
}

// Forces of 1e4 N cancel to accelerations of the order of 1: of their 16 digits 11 remain.
constexpr double rounding = 1e-11;

TEST(RaceCarModels, have_47_states_44_indicators_and_172_links_that_feed_every_input) {
    const RaceCar car;
    std::size_t states = 0, inputs = 0;
    int indicators = 0;
    for (const auto& member : car.members()) {
        states += member->x.size();
        inputs += member->u.size();
        indicators += member->ode.shape().indicators;
    }
    EXPECT_EQ(states, 47u);
    EXPECT_EQ(indicators, 44);
    EXPECT_EQ(car.links().size(), 172u);
    EXPECT_EQ(inputs, 172u);
}

TEST(RaceCarModels, start_where_the_reference_starts) {
    const std::vector<double> x = RaceCar().states();
    const std::vector<double>& expected = test::race_car_points[0].x;
    ASSERT_EQ(x.size(), expected.size());
    for (std::size_t i = 0; i < x.size(); ++i)
        EXPECT_NEAR(x[i], expected[i], 1e-15 * std::max(1.0, std::abs(expected[i]))) << i;
}

TEST(RaceCarModels, have_together_the_derivatives_of_the_whole_car) {
    RaceCar car;
    for (const test::RaceCarPoint& point : test::race_car_points) {
        const std::vector<double> dx = car.derivatives(point.t, point.x);
        ASSERT_EQ(dx.size(), point.dx.size());
        for (std::size_t i = 0; i < dx.size(); ++i)
            EXPECT_NEAR(dx[i], point.dx[i], rounding * std::max(1.0, std::abs(point.dx[i])))
                << "state " << i << " at t = " << point.t;
    }
}

// Every output as a node; an edge where an input it feeds is declared as seen at once in an output.
// Taking away, again and again, what nothing is waiting for leaves nothing if there is no loop.
TEST(RaceCarModels, declare_dependencies_without_an_algebraic_loop) {
    const RaceCar car;
    using Node = std::pair<std::size_t, int>;
    std::map<Node, std::vector<Node>> waits_for;
    for (std::size_t k = 0; k < car.members().size(); ++k) {
        const ode::OdeShape& shape = car.members()[k]->ode.shape();
        for (std::size_t i = 0; i < shape.outputs.size(); ++i) waits_for[{k, static_cast<int>(i)}];
        ASSERT_TRUE(shape.d.entries.has_value());
        for (const auto& [row, column] : *shape.d.entries)
            for (const Link& link : car.links())
                if (link.to == k && static_cast<int>(link.input) == column)
                    waits_for[{k, row}].push_back({link.from, static_cast<int>(link.output)});
    }
    std::size_t rounds = 0;
    for (bool moved = true; moved; ++rounds) {
        moved = std::erase_if(waits_for, [](const auto& node) { return node.second.empty(); }) > 0;
        for (auto& [node, sources] : waits_for)
            std::erase_if(sources, [&](const Node& s) { return !waits_for.contains(s); });
    }
    EXPECT_TRUE(waits_for.empty());
    // Motion; compression; bars; forces; and the last round finds nothing.
    EXPECT_EQ(rounds, 5u);
}

// Every number that goes in is moved a little: what is not declared to depend on it must not move.
TEST(RaceCarModels, declare_everything_they_depend_on) {
    RaceCar car;
    for (const test::RaceCarPoint& point : test::race_car_points) {
        car.derivatives(point.t, point.x);
        for (const auto& member : car.members()) {
            const ode::OdeShape& shape = member->ode.shape();
            expect_no_other(*member, point.t, {&member->x, &shape.a, &shape.c});
            expect_no_other(*member, point.t, {&member->u, &shape.b, &shape.d});
        }
    }
}

}  // namespace
}  // namespace tandem
