#pragma once

#include <span>
#include <vector>

#include "fmi/instance.hpp"
#include "subsystem/fmu_ports.hpp"

namespace tandem::subsystem {

/// Around questions that must leave an FMU as it is. Some find directional derivatives by moving
/// their states or inputs, and leave them there.
class FmuQueryGuard {
public:
    /// Looks at the inputs, which are plain, and at `count` other Float64 values of the FMU.
    FmuQueryGuard(fmi::Instance& instance, FmuPorts& inputs,
                  std::span<const fmi::ValueReference> others, std::size_t count);
    ~FmuQueryGuard();
    FmuQueryGuard(const FmuQueryGuard&) = delete;
    FmuQueryGuard& operator=(const FmuQueryGuard&) = delete;

    /// True if nothing has moved. Otherwise all of it is put back; throws FmuError if that fails.
    [[nodiscard]] bool finds_no_change();

private:
    struct Values {
        std::vector<double> inputs, others;
    };
    void read(Values& values);
    bool is_as_before() const;

    fmi::Instance& instance_;
    FmuPorts& inputs_;
    std::span<const fmi::ValueReference> others_;
    Values before_, after_;
    fmi::FmuState state_ = nullptr;
    bool has_state_ = false;  ///< an FMU may call its state null
    bool shows_inputs_ = true, shows_others_ = true;
};

}  // namespace tandem::subsystem
