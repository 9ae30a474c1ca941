#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tandem {

struct Port;

/// Positive numbers that the user gives to ports and states, by their names.
struct NamedSizes {
    double all = 0.0;  ///< of those that are not named; 0: nothing is said about them
    std::map<std::string, double, std::less<>> by_name = {};

    bool empty() const { return all == 0.0 && by_name.empty(); }
    /// 0: nothing is said.
    double of(std::string_view name) const;
    std::vector<double> of(std::span<const Port> ports) const;
};

/// What the user says about the sizes of a subsystem's variables. It counts instead of what the
/// subsystem itself tells.
struct Scales {
    NamedSizes nominals;
    NamedSizes absolute_tolerances;  ///< of continuous states, for a solver outside the subsystem

    bool empty() const { return nominals.empty() && absolute_tolerances.empty(); }
};

/// A subsystem or a model that takes scales.
class Scaled {
public:
    virtual ~Scaled() = default;
    /// Before initialisation. They hold for ports and states as they are now and for those that a
    /// later selection of ports shows.
    virtual void set_scales(const Scales& scales) = 0;
};

void set_nominals(const NamedSizes& nominals, std::vector<Port>& ports);
/// Replaces values where something is said, that is where `given` is not 0.
void replace(std::span<const double> given, std::span<double> values);

}  // namespace tandem
