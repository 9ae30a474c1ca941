#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "tandem/extend/variables.hpp"

namespace tandem {

/// One element of a variable of a subsystem.
struct VariableElement {
    int subsystem = 0;
    std::size_t variable = 0;  ///< index into Variables::list()
    std::size_t element = 0;   ///< of an array; 0 for a scalar
};

/// What happens to a value on its way. Numbers: factor * value + offset, then rounded if the target
/// is an integer, and limited to its range. `map` comes first: a value in it becomes its partner.
struct Conversion {
    double factor = 1.0;
    double offset = 0.0;
    std::vector<std::pair<std::int64_t, std::int64_t>> map = {};
};

struct TypedLink {
    VariableElement from;
    VariableElement to;
    Conversion conversion;
    int input = -1;  ///< index into System::inputs() if the target is a port; then it goes there
};

/// Everything that is not a connected real port: integers, booleans, enumerations, strings,
/// binaries, and reals that are not continuous. Travels at communication points only; couplings
/// never see it.
class TypedLinks {
public:
    /// `variables` are those of each subsystem.
    TypedLinks(std::span<Variables* const> variables, std::vector<TypedLink> links);

    bool empty() const { return links_.empty(); }
    /// Reads the current values of all targets; once, when initialisation has begun. `inputs` are
    /// those of the system.
    void start(std::span<double> inputs = {});
    /// The same after subsystems and inputs went back to an earlier time.
    void roll_back();
    /// Carries all values over and writes the variables and inputs that change. True if any did.
    bool exchange();
    /// The same for the variables and inputs that `is_wanted` says, by their Variables or, for an
    /// input of the system, its index.
    template <class IsWanted>
    bool exchange_into(IsWanted is_wanted) {
        for (const Route& route : links_) {
            Variables* const of = route.input >= 0 ? nullptr : targets_[route.to_group].of;
            if (!is_wanted(of, route.input)) continue;
            Group& source = sources_[route.from_group];
            source.of->read(source.variables, source.values);
            carry(route);
        }
        return write_changes();
    }

    /// A truth value or an enumeration that was another one in the last exchange: whose variable it
    /// is, and its index into Variables::list().
    struct Switched {
        const Variables* of = nullptr;
        std::size_t variable = 0;
    };
    std::optional<Switched> switched() const { return switched_; }

    /// Whether a real value that becomes an integer or truth value would be another one by now.
    bool is_any_rounded_differently();

private:
    struct Group {
        Variables* of = nullptr;
        VariableGroup variables;
        Values values;
        bool changed = false;
    };
    struct Route {
        std::size_t from_group = 0, from = 0;
        std::size_t to_group = 0, to = 0;
        Conversion conversion;
        int input = -1;
    };

    bool rounds(const Route& route) const;
    static std::pair<std::size_t, std::size_t> locate(std::span<Variables* const> variables,
                                                      std::vector<Group>& groups,
                                                      const VariableElement& element);
    void carry(const Route& route);
    bool is_carried_anew(const Route& route);
    bool write_changes();

    std::vector<Route> links_;
    std::vector<std::size_t> rounding_;     // of links_, those from a real value to an integer
    std::vector<Group> sources_, targets_;  // one per variable
    std::span<double> inputs_;
    bool inputs_changed_ = false;
    std::optional<Switched> switched_;
};

}  // namespace tandem
