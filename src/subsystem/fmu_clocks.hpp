#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "fmi/import/fmu.hpp"
#include "tandem/extend/subsystem.hpp"

namespace tandem::subsystem {

/// Makes the time-based input clocks of an FMI 3.0 FMU tick: the importer's duty. Other FMUs have
/// none, and everything here does nothing for them.
class FmuClocks {
public:
    explicit FmuClocks(fmi::Instance& instance);

    void start(double t);
    /// The next tick; infinity if there is none.
    double next() const;
    /// In event mode at time t: activates the clocks whose tick is due.
    void tick(double t);
    /// After each update of the discrete states: asks for intervals the FMU determines itself.
    void update_intervals(double t);
    bool empty() const { return clocks_.empty(); }

    struct Tick {
        double first = 0.0;  ///< time of tick 0
        double interval = std::numeric_limits<double>::infinity();
        double next = std::numeric_limits<double>::infinity();
        std::uint64_t count = 0;  ///< ticks so far
    };
    /// The state, for rollback and checkpoints.
    const std::vector<Tick>& ticks() const { return ticks_; }
    void set_ticks(const std::vector<Tick>& ticks) { ticks_ = ticks; }
    std::size_t size() const { return clocks_.size(); }

private:
    fmi::Instance& instance_;
    std::vector<const fmi::Variable*> clocks_;
    std::vector<Tick> ticks_;
    std::vector<fmi::ValueReference> due_;
    std::unique_ptr<bool[]> active_;
};

}  // namespace tandem::subsystem
