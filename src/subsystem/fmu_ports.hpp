#pragma once

#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "subsystem/fmu_variables.hpp"
#include "tandem/extend/subsystem.hpp"

namespace tandem::subsystem {

/// The real inputs or outputs of an FMU as ports: one flat list, set and got with one call. Arrays
/// give one port per element, `name[1]`, `name[2]`, ...; Float32 comes after Float64.
class FmuPorts {
public:
    enum class Side { inputs, continuous_inputs, outputs };
    /// `selection` names the ports that are needed; null: all. Arrays come whole or not at all.
    /// Any real variable but an input can be selected as an output.
    FmuPorts(fmi::Instance& instance, const FmuVariables& variables, Side side,
             const std::set<std::string>* selection);

    void set(std::span<const double> values);
    void get(std::span<double> values);
    /// False: the FMU does not let all of them be read.
    [[nodiscard]] bool try_get(std::span<double> values);
    /// What a variable of the description was set to last; false: it is no port, or never was set.
    bool last_set(std::size_t variable, Values& value) const;
    /// Prepares to set or get only the variables that these ports belong to; -1 if not is_plain().
    int prepare(std::span<const int> ports);
    /// What was prepared, out of and into the values of all ports.
    void set(int prepared, std::span<const double> values);
    /// False: some of them are no finite numbers.
    [[nodiscard]] bool get(int prepared, std::span<double> values);
    /// Where set_from_places() takes the prepared values from; empty if they are not whole
    /// variables in the order of their ports.
    std::span<double* const> places(int prepared) const;
    void set_from_places(int prepared);
    /// The name of the first value that is no finite number; null if all are.
    const std::string* first_not_finite(std::span<const double> values) const;

    /// What the elements of a variable are called as ports.
    static std::vector<std::string> names(const fmi::Variable& variable, std::size_t size);

    std::size_t size() const { return ports_.size(); }
    const std::vector<Port>& ports() const { return ports_; }
    /// Float64 only, one for each variable.
    std::span<const fmi::ValueReference> references() const { return references_; }
    bool is_plain() const { return narrow_references_.empty() && negated_.empty(); }
    /// Every port is a scalar: there is one reference for each.
    bool is_scalar() const { return references_.size() == ports_.size(); }
    /// First port and number of ports of a variable of the description; {0, 0} if it has none.
    struct Range {
        std::size_t first = 0, count = 0;
    };
    Range range(std::size_t variable) const;
    std::span<const std::size_t> variables() const { return variables_; }

private:
    void add(std::size_t index, const FmuVariables& variables);
    void finish_reading(std::span<double> values) const;
    fmi::Instance& instance_;
    std::vector<Port> ports_;
    std::vector<fmi::ValueReference> references_, narrow_references_;
    std::size_t wide_ = 0;              ///< number of Float64 ports
    std::vector<std::size_t> negated_;  ///< ports that hold the negated value (FMI 1.0)
    std::vector<std::size_t> variables_;
    std::unordered_map<std::size_t, Range> ranges_;
    std::vector<double> scratch_;
    std::vector<double> last_set_;  ///< NaN: never
    Values narrow_;
    struct Some {
        std::vector<fmi::ValueReference> references;
        std::vector<std::size_t> ports;   ///< of all elements of these variables
        std::vector<std::size_t> wanted;  ///< those of them that were asked for
        std::vector<double> values;
        std::vector<double*> places;
    };
    std::vector<Some> some_;
};

}  // namespace tandem::subsystem
