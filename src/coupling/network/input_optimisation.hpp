#pragma once

#include <span>
#include <vector>

#include "coupling/network/network_flow.hpp"
#include "numerics/least_squares.hpp"
#include "numerics/step_response.hpp"

namespace tandem::coupling {

/// Which distance is made as small as possible, and by which inputs.
enum class OptimisedAim {
    terminal,     ///< that at the end of the step, by constants
    variational,  ///< its mean square at points all over the step
};
struct OptimisedForm {
    OptimisedAim aim = OptimisedAim::terminal;
    bool is_linear = false;  ///< variational: by straight lines instead of constants
    int nodes = 5;           ///< variational: how many points, the last one at the end
};

/// The inputs of a step with which each subsystem comes as near as it can to where the linear
/// network goes: its states at the nodes, and the means of outputs that depend on inputs directly
/// from node to node, each by its nominal. (A constant that gives such an output the right value at
/// one time gives it a wrong one at all others.) Of all such inputs, those nearest to the routed
/// ones. Where the model doubts what inputs do, they keep near to those of the network: with these
/// the subsystem goes where it should whatever it makes of them.
class InputOptimisation {
public:
    /// Subsystems that take no derivatives get constants. `doubts` are those of the matrices, see
    /// Linearisation; none: of no subsystem.
    void prepare(System& system, const NetworkModel& network, OptimisedForm form,
                 FlowMethod method = {}, std::vector<std::span<const double>> doubts = {});
    /// A step that has the length h.
    struct Step {
        double h = 0.0;
        std::span<const double> start = {};  ///< of the network: its deviations; empty: none
        bool has_new_matrices = true;        ///< since the last step
    };
    /// System::inputs() hold the routed values at the start of the step.
    void optimise(System& system, const NetworkModel& network, const Step& step);
    InputCourse course(int s) const;

private:
    struct PerSubsystem {
        int order = 0;
        std::vector<int> fed_through;  // outputs that depend on inputs directly
        std::vector<numerics::StepResponse>
            responses;                  // until each node, of states by their nominals
        std::vector<double> means;      // of states since the node before, likewise
        std::vector<double> scaled;     // A, then columns of B, by nominals
        std::vector<double> doubt;      // of the model, by nominals; empty: none
        std::vector<double> expected;   // inputs of the network by nominals, then their rises
        std::vector<double> distances;  // all rows of all nodes, then those of doubts
        std::vector<double> changes;    // of inputs, by their nominals, then their rises
        std::vector<double> values, slopes;
        numerics::LeastSquares least_squares;

        std::size_t rows() const { return means.size() + fed_through.size(); }
    };
    void prepare_partner(System& system, const NetworkModel& network, int s);
    void respond(System& system, const NetworkModel& network, int s);
    void respond_until(System& system, const NetworkModel& network, int s, std::size_t node);
    void doubt(System& system, int s);
    void expect(System& system, const NetworkModel& network, int s, std::size_t node);
    double length_until(std::size_t node) const;
    template <class Integral>
    void find_means(PerSubsystem& partner, std::size_t node, Integral integral) const;
    static double output_mean(const PerSubsystem& partner, const LinearModel& model, std::size_t j);
    void measure(System& system, const NetworkModel& network, int s, std::size_t node);
    void tell(System& system, int s);

    OptimisedForm form_;
    std::vector<double> nodes_;  // parts of the step at which the distance counts
    double h_ = 0.0;
    double responded_ = 0.0;  // the length of the step of the responses
    NetworkFlow flow_;
    NetworkModel::Signals signals_;
    std::vector<double> here_;  // the network's deviations at a node
    std::vector<PerSubsystem> partners_;
    std::vector<std::span<const double>> doubts_;  // of each subsystem
};

}  // namespace tandem::coupling
