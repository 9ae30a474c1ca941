#pragma once

#include <string>
#include <vector>

#include "coupling/iterative/end_inputs.hpp"

namespace tandem::coupling {

/// Watches outputs of members of a cycle for jumps inside steps: events that a Co-Simulation FMU
/// without event mode tells nobody of. Inputs run straight to their values at the end of the step,
/// which are those behind the jump. So it acts on the whole step, and values that are sampled
/// inside it err by a part of the jump, however short the step is.
class HiddenJumps {
public:
    HiddenJumps(System& system, EndInputs& inputs, const std::vector<int>& members);

    /// At the start of a step, when outputs() hold the values there.
    void begin_step();
    /// At the end of a step that the cycle has solved: outputs() hold the values there. Members
    /// with a suspicious output repeat parts of the step, and then all of it.
    void end_step(Interval interval);
    void reset();
    /// After a step that did not converge: there is a jump inside it.
    bool has_met_one(Interval interval);
    /// A sentence for each member of which a jump was seen, the first one.
    std::vector<std::string> warnings() const;

private:
    struct Watched {
        int subsystem = 0;
        std::vector<double> begin, rates, bends, low, high, probe;
        int steps = 0;        ///< since the last discontinuity
        double length = 0.0;  ///< of the last one
        int jumped = -1;      ///< output; -1: none yet
        double t = 0.0, height = 0.0;
    };
    void watch(Watched& watched, Interval interval);
    bool is_noticeable(const Watched& watched, std::size_t output) const;
    bool jumps(Watched& watched, Interval interval, std::size_t output);
    double output_at(Watched& watched, Interval part, Interval whole, std::size_t output);

    System& system_;
    EndInputs& inputs_;
    std::vector<Watched> watched_;
};

}  // namespace tandem::coupling
