// What it costs that a model is made of parts: the race car of 5 members and 172 links under one
// solver, against the same equations written as one native model under the same one; and a chain of
// N oscillators, whose cost for each element must not grow with N. Time of the processor; the cars
// alternate, and of each the fastest of several rounds counts.
//
//   aggregation_benchmark folder_of_our_fmus [rounds]

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <limits>

#include "ode/block_jacobian.hpp"
#include "ode/host/hosted_ode.hpp"
#include "support/race_car_group.hpp"

namespace tandem {
namespace {

double cpu_seconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Drive {
    double seconds = std::numeric_limits<double>::infinity();
    ode::SolverStatistics solver;
    long jacobian_evaluations = 0;
    long events = 0;
    double x = 0.0, y = 0.0;
};

std::unique_ptr<ode::OdeModel> make_car(test::OdeShop& shop, const std::string& kind) {
    if (kind == "one model") return shop.make("RaceCar", "native", "car");
    return test::race_car_group(shop, kind);
}

void drive(test::OdeShop& shop, const std::string& kind, ode::Method method, Drive& best) {
    ode::HostedOdeOptions options;
    options.solver.method = method;
    options.solver.relative_tolerance = 1e-6;
    ode::HostedOde car(make_car(shop, kind), options);
    car.enter_initialisation({0.0, 20.0, 1e-6});
    car.exit_initialisation();
    const double begin = cpu_seconds();
    if (!car.step({0.0, 20.0})) throw std::runtime_error("the car did not arrive");
    best.seconds = std::min(best.seconds, cpu_seconds() - begin);
    best.solver = car.statistics().solver;
    best.events = car.statistics().state_events;
    best.jacobian_evaluations = car.jacobian_evaluations();
    best.x = car.states()[0];
    best.y = car.states()[1];
}

void compare_cars(test::OdeShop& shop, int rounds) {
    const std::vector<std::string> kinds = {"one model", "native", "fmi2", "fmi3"};
    fmt::print("The race car, 20 s at 1e-6: 47 states, 44 indicators, 172 links\n");
    fmt::print("{:<8} {:<10} {:>9} {:>6} {:>8} {:>7} {:>6} {:>7} {:>10} {:>6}\n", "solver", "car",
               "ms", "ratio", "steps", "f", "J", "J eval", "indicators", "events");
    for (const ode::Method method : {ode::Method::cvode_bdf, ode::Method::dopri5}) {
        std::vector<Drive> drives(kinds.size());
        for (int round = 0; round < rounds; ++round)
            for (std::size_t i = 0; i < kinds.size(); ++i) drive(shop, kinds[i], method, drives[i]);
        for (std::size_t i = 0; i < kinds.size(); ++i) {
            const Drive& own = drives[i];
            fmt::print("{:<8} {:<10} {:>9.1f} {:>6.2f} {:>8} {:>7} {:>6} {:>7} {:>10} {:>6}\n",
                       ode::to_string(method), kinds[i], 1e3 * own.seconds,
                       own.seconds / drives[0].seconds, own.solver.steps,
                       own.solver.derivative_calls, own.solver.jacobian_calls,
                       own.jacobian_evaluations, own.solver.indicator_calls, own.events);
        }
    }
}

/// Oscillators side by side, each tied to both neighbours.
std::unique_ptr<ode::OdeGroup> chain(test::OdeShop& shop, const std::string& kind, int size) {
    std::vector<std::unique_ptr<ode::OdeModel>> members;
    ode::GroupWiring wiring;
    for (int i = 0; i < size; ++i) {
        members.push_back(shop.make("Oscillator", kind, fmt::format("o{}", i)));
        for (int port = 0; port < 2; ++port) {
            if (i > 0) wiring.links.push_back({2 * (i - 1) + port, 4 * i + port});
            if (i + 1 < size) wiring.links.push_back({2 * (i + 1) + port, 4 * i + 2 + port});
        }
    }
    test::set_real(*members.front(), "x", 0.1);
    return std::make_unique<ode::OdeGroup>("chain", std::move(members), std::move(wiring));
}

/// Calls `action` for a while and returns the time of one call.
template <class Action>
double time_of(Action action) {
    double best = std::numeric_limits<double>::infinity();
    for (int round = 0; round < 5; ++round) {
        const double begin = cpu_seconds();
        int calls = 0;
        do {
            action();
            ++calls;
        } while (cpu_seconds() - begin < 0.02);
        best = std::min(best, (cpu_seconds() - begin) / calls);
    }
    return best;
}

void measure_chain(test::OdeShop& shop, const std::string& kind, int size) {
    double begin = cpu_seconds();
    auto group = chain(shop, kind, size);
    const double load = cpu_seconds() - begin;
    begin = cpu_seconds();
    ode::HostedOdeOptions options;
    ode::HostedOde host(std::move(group), options);
    host.enter_initialisation({0.0, 10.0, 1e-6});
    host.exit_initialisation();
    const double plan = cpu_seconds() - begin;
    ode::OdeModel& model = host.model();
    std::vector<double> x(host.states().begin(), host.states().end()), dx(x.size());
    double t = 0.0;
    const std::vector<double> u(model.shape().inputs.size());
    const double evaluation = time_of([&] {
        t += 1e-9;
        if (!model.set_point({t, x, u}) || !model.derivatives(dx))
            throw std::runtime_error("the chain cannot be evaluated");
    });
    ode::BlockJacobian jacobian(model);
    begin = cpu_seconds();
    if (!host.step({0.0, 10.0})) throw std::runtime_error("the chain did not arrive");
    const double run = cpu_seconds() - begin;
    fmt::print("{:<7} {:>5} {:>9.3f} {:>9.3f} {:>12.1f} {:>8} {:>9.3f} {:>7}\n", kind, size, load,
               plan, 1e9 * evaluation / size, jacobian.colour_count(ode::JacobianBlock::a), run,
               host.statistics().solver.steps);
}

}  // namespace
}  // namespace tandem

int main(int count, char** arguments) {
    if (count < 2) {
        fmt::print(stderr, "usage: {} folder_of_our_fmus [rounds]\n", arguments[0]);
        return 2;
    }
    tandem::test::OdeShop shop(arguments[1]);
    tandem::compare_cars(shop, count > 2 ? std::stoi(arguments[2]) : 5);
    fmt::print(
        "\nA chain of N oscillators, 10 s by cvode at 1e-6; f: nanoseconds for each element\n");
    fmt::print("{:<7} {:>5} {:>9} {:>9} {:>12} {:>8} {:>9} {:>7}\n", "kind", "N", "load s",
               "plan s", "f ns", "colours", "run s", "steps");
    for (const std::string& kind : {std::string("native"), std::string("fmi2")})
        for (const int size : {10, 100, 1000}) tandem::measure_chain(shop, kind, size);
    return 0;
}
