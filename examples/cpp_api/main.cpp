// A rotating mass held at a speed, stepped from C++: the plant is an FMU, the controller a class of
// this program, the speed that is wanted comes from main(). Usage: cpp_api Plant_fmi2.fmu
#include <tandem/simulation.hpp>

#include <algorithm>
#include <cstdio>
#include <exception>

class Controller : public tandem::Model {
public:
    Parameter<double> k{*this, "k", 0.05, {.unit = "N.m.s/rad"}};
    Input<double> wanted{*this, "wanted", 0.0, {.unit = "rad/s"}};
    Input<double> speed{*this, "speed", 0.0, {.unit = "rad/s"}};
    Output<double> torque{*this, "torque", 0.0, {.unit = "N.m"}};
    void outputs() override { torque = k * (wanted - speed); }
};

int main(int, char** arguments) try {
    tandem::SystemBuilder system("held speed");
    system.add("plant", arguments[1], {.kind = "cs"}).add<Controller>("controller");
    system.connect("plant.speed", "controller.speed");
    system.connect({"controller.torque"}, "plant.command", [](double, std::span<const double> y) {
        return std::clamp(y[0], -0.4, 0.4);  // what the drive can do
    });
    system.experiment(0.001).coupling("gauss_seidel");

    tandem::Simulation simulation(system);
    simulation.set("plant.J", 0.002);
    simulation.record("held_speed.csv", {"plant.*", "controller.torque"});
    simulation.initialise();
    while (simulation.time() < 3.0) {
        simulation.set("controller.wanted", simulation.time() < 1.5 ? 10.0 : 5.0);
        simulation.step();
    }
    std::printf("speed(%g) = %.4f rad/s\n", simulation.time(), simulation.get("plant.speed"));
    simulation.finish();
} catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
}
