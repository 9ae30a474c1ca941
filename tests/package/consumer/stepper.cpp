#include <tandem/simulation.hpp>

int main(int, char** arguments) {
    tandem::SystemBuilder system;
    system.add("pendulum", arguments[1]).experiment(0.1);
    tandem::Simulation simulation(system);
    simulation.initialise();
    while (simulation.time() < 1.0) simulation.step();
    const bool swings = simulation.get("pendulum.angle") < 0.0;
    simulation.finish();
    return swings ? 0 : 1;
}
