#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/names.hpp"
#include "description/read/lines.hpp"

namespace tandem::description {
namespace {

const std::vector<std::string> domains = {"mechanical", "rotational", "hydraulic",
                                          "electrical", "generic",    "mechanical_3d"};
constexpr std::int64_t most_samples = 10000;
const std::vector<std::string> interpolations = {"linear", "hermite"};
const std::vector<std::string> exchanges(tlm_exchanges.begin(), tlm_exchanges.end());

/// A table of a file with what is said about it: the element, or one of its ends.
class Checked {
public:
    Checked(std::string title, const Place& place, const Setting* table, Diagnostics& findings)
        : title_(std::move(title)), place_(place), table_(table), findings_(findings) {}

    bool stands(std::string_view key) const {
        return table_ != nullptr && table_->find(key) != nullptr;
    }
    const Setting* table() const { return table_; }

    /// At the place of the key if the file has it.
    void refuse(std::string_view key, const std::string& problem, const std::string& hint = {}) {
        report(findings_, stands(key) ? table_->find(key)->place : place_, title_ + ": " + problem,
               hint);
    }

    void one_of(std::string_view key, const std::string& name,
                const std::vector<std::string>& known) {
        if (std::ranges::find(known, name) != known.end()) return;
        refuse(key, fmt::format("unknown {} '{}'", key, name),
               did_you_mean(name, known, fmt::format("use {}", fmt::join(known, ", "))));
    }

private:
    std::string title_;
    const Place& place_;
    const Setting* table_;
    Diagnostics& findings_;
};

bool is_rotation(const std::array<double, 9>& A) {
    constexpr double tolerance = 1e-9;
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = i; j < 3; ++j) {
            double product = 0.0;
            for (std::size_t k = 0; k < 3; ++k) product += A[3 * i + k] * A[3 * j + k];
            if (!(std::abs(product - (i == j ? 1.0 : 0.0)) <= tolerance)) return false;
        }
    const double determinant = A[0] * (A[4] * A[8] - A[5] * A[7]) -
                               A[1] * (A[3] * A[8] - A[5] * A[6]) +
                               A[2] * (A[3] * A[7] - A[4] * A[6]);
    return determinant > 0.0;
}

class LineCheck {
public:
    LineCheck(const TlmElement& element, const Setting* table, Diagnostics& findings)
        : element_(element),
          findings_(findings),
          line_(element.name.empty() ? std::string("[[tlm]]")
                                     : fmt::format("transmission line '{}'", element.name),
                element.place, table, findings) {}

    void run() {
        check_words();
        check_numbers();
        check_impedance();
        check_dimension();
        check_preload();
        check_ends();
    }

private:
    void check_words() {
        if (element_.name.empty() && !line_.stands("name"))
            line_.refuse("name", "'name' is missing", "add name = \"...\"");
        else if (element_.name.empty())
            line_.refuse("name", "'name' is empty", "give it a name");
        knows_domain_ = std::ranges::find(domains, element_.domain) != domains.end();
        if (element_.domain.empty() && !line_.stands("domain"))
            line_.refuse("domain", "'domain' is missing", "add domain = \"mechanical\"");
        else
            line_.one_of("domain", element_.domain, domains);
        line_.one_of("interpolation", element_.interpolation, interpolations);
        line_.one_of("exchange", element_.exchange, exchanges);
    }

    void check_numbers() {
        const std::pair<const char*, std::optional<double>> positive[] = {
            {"delay", element_.delay},         {"impedance", element_.impedance},
            {"stiffness", element_.stiffness}, {"mass", element_.mass},
            {"volume", element_.volume},       {"bulk_modulus", element_.bulk_modulus}};
        for (const auto& [key, value] : positive)
            if (value && !(*value > 0.0 && std::isfinite(*value)))
                line_.refuse(key,
                             fmt::format("'{}' must be greater than 0, but is {}", key, *value));
        if (const auto& value = element_.rotational_impedance;
            value && !(*value >= 0.0 && std::isfinite(*value)))
            line_.refuse(
                "rotational_impedance",
                fmt::format("'rotational_impedance' must be at least 0, but is {}", *value));
        if (!(element_.damping >= 0.0 && element_.damping < 1.0))
            line_.refuse("damping",
                         fmt::format("'damping' must be at least 0 and less than 1, but is {}",
                                     element_.damping),
                         "0 is a line without losses");
        if (element_.samples < 2 || element_.samples > most_samples)
            line_.refuse("samples",
                         fmt::format("'samples' must be at least 2 and at most {}, but is {}",
                                     most_samples, element_.samples));
    }

    bool has(const char* key, const std::optional<double>& value) const {
        return value || line_.stands(key);
    }

    /// What says the impedance, and the delay where that is not given.
    void check_impedance() {
        const bool delay = has("delay", element_.delay);
        const bool stiffness = has("stiffness", element_.stiffness);
        const bool mass = has("mass", element_.mass);
        const bool volume = has("volume", element_.volume);
        const bool bulk_modulus = has("bulk_modulus", element_.bulk_modulus);
        std::vector<std::string> said;
        if (has("impedance", element_.impedance)) said.emplace_back("impedance");
        if (stiffness) said.emplace_back("stiffness");
        if (mass) said.emplace_back("mass");
        if (volume || bulk_modulus) said.emplace_back(volume ? "volume" : "bulk_modulus");
        const bool is_spring = !delay && stiffness && mass;
        if (said.size() > (is_spring ? 2U : 1U))
            refuse_contradiction(said, is_spring, stiffness && mass);
        else if (said.empty())
            line_.refuse("delay", "nothing says its impedance",
                         "add impedance, stiffness, mass, or volume and bulk_modulus");
        if (volume != bulk_modulus)
            line_.refuse(volume ? "volume" : "bulk_modulus",
                         fmt::format("'{}' is missing", volume ? "bulk_modulus" : "volume"),
                         "volume and bulk_modulus say the impedance together");
        if (!delay && !(stiffness && mass))
            line_.refuse("delay", "'delay' is missing",
                         "add delay = 1e-3 (seconds), or give both stiffness and mass");
        const bool is_fluid = element_.domain == "hydraulic" || element_.domain == "generic";
        if (knows_domain_ && !is_fluid && (volume || bulk_modulus))
            line_.refuse(volume ? "volume" : "bulk_modulus",
                         fmt::format("'{}' is for hydraulic lines", said.back()),
                         "give the impedance, the stiffness or the mass");
    }

    void refuse_contradiction(const std::vector<std::string>& said, bool is_spring,
                              bool says_delay) {
        line_.refuse(
            said[1],
            fmt::format("its impedance is said more than once: by {}", fmt::join(said, " and ")),
            is_spring    ? "without a delay keep stiffness and mass alone"
            : says_delay ? "keep one of them, or stiffness and mass without the delay"
                         : "keep one of them");
    }

    void check_dimension() {
        if (!knows_domain_) return;
        if (element_.is_3d() && !has("rotational_impedance", element_.rotational_impedance))
            line_.refuse("rotational_impedance", "'rotational_impedance' is missing",
                         "add rotational_impedance = 0 for a joint that turns freely");
        if (element_.is_3d()) return;
        if (has("rotational_impedance", element_.rotational_impedance))
            refuse_dimension(line_, "rotational_impedance", true);
        if (line_.stands("corotating") || !element_.corotating)
            refuse_dimension(line_, "corotating", true);
    }

    void refuse_dimension(Checked& checked, std::string_view key, bool is_3d) {
        checked.refuse(key,
                       is_3d ? fmt::format("'{}' is for mechanical_3d, not for the domain '{}'",
                                           key, element_.domain)
                             : fmt::format("'{}' is not for mechanical_3d", key),
                       is_3d ? "remove it, or write domain = \"mechanical_3d\""
                             : "name position, orientation, velocity, angular_velocity, force and "
                               "moment");
    }

    void check_preload() {
        const std::size_t size = element_.preload.size();
        const std::size_t wanted = element_.is_3d() ? 6 : 1;
        const Setting* table = line_.table();
        const Setting* setting = table == nullptr ? nullptr : table->find("preload");
        const bool is_list = setting != nullptr && setting->type == Setting::Type::list;
        const bool is_empty_list = is_list && setting->entries.empty();
        if (knows_domain_ && (is_empty_list || (size != 0 && size != wanted)))
            line_.refuse("preload",
                         fmt::format("'preload' must be {}, but is {}",
                                     wanted == 1 ? "one number" : "six numbers", size),
                         wanted == 1 ? "the effort that the first end begins with"
                                     : "the force, then the moment that the first end begins with");
        if (!std::ranges::all_of(element_.preload, [](double x) { return std::isfinite(x); }))
            line_.refuse("preload", "'preload' must be finite numbers");
        if (element_.is_3d() && size == wanted && !has_moments() &&
            std::ranges::any_of(element_.preload.begin() + 3, element_.preload.end(),
                                [](double moment) { return moment != 0.0; }))
            line_.refuse("preload", "'preload' has a moment, but its joint turns freely",
                         "write zeros, or a rotational_impedance");
    }

    void check_ends() {
        const Setting* table = line_.table();
        const Setting* list = table == nullptr ? nullptr : table->find("ends");
        if (table != nullptr && list == nullptr) {
            line_.refuse("ends", "'ends' is missing",
                         "add ends = [{ flow = \"a.v\", effort = \"a.F\" }, { flow = \"b.v\", "
                         "effort = \"b.F\" }]");
            return;
        }
        if (list != nullptr && list->type != Setting::Type::list) return;
        if (list != nullptr && list->entries.size() != element_.ends.size()) {
            line_.refuse("ends",
                         fmt::format("must have two ends, but has {}", list->entries.size()));
            return;
        }
        for (std::size_t i = 0; i < element_.ends.size(); ++i) {
            const Setting* entry = list == nullptr ? nullptr : &list->entries[i];
            if (entry == nullptr || entry->type == Setting::Type::table)
                check_end(element_.ends[i], entry);
        }
        if (element_.is_3d() && ends_with_moments_ == 1 && !has_moments())
            line_.refuse("ends", "one end names 'moment', the other does not",
                         "name it at both ends, which then get zeros, or at none");
    }

    bool has_moments() const { return element_.rotational_impedance.value_or(0.0) > 0.0; }

    void check_end(const TlmEnd& end, const Setting* table) {
        Checked checked(fmt::format("transmission line '{}', {} end", element_.name,
                                    &end == &element_.ends[0] ? "first" : "second"),
                        end.place, table, findings_);
        if (!end.exchange.empty()) checked.one_of("exchange", end.exchange, exchanges);
        if (!knows_domain_) return;
        for (const TlmPort& port : tlm_ports)
            if (port.is_3d != element_.is_3d() && gives(end, port.key, checked))
                refuse_dimension(checked, port.key, port.is_3d);
        if (element_.is_3d())
            check_3d_end(end, checked);
        else
            check_1d_end(end, checked);
    }

    static bool gives(const TlmEnd& end, std::string_view key, const Checked& checked) {
        const auto port = std::ranges::find(tlm_ports, key, &TlmPort::key);
        return checked.stands(key) || !(end.*port->described).connector.empty();
    }

    static void need(const TlmEnd& end, std::string_view key, Checked& checked,
                     const std::string& hint = {}) {
        if (!gives(end, key, checked))
            checked.refuse(key, fmt::format("'{}' is missing", key),
                           hint.empty() ? fmt::format("add {} = \"...\"", key) : hint);
    }

    void check_1d_end(const TlmEnd& end, Checked& checked) {
        need(end, "flow", checked);
        const bool effort = gives(end, "effort", checked);
        const bool wave = gives(end, "wave", checked);
        const bool waves = gives(end, "waves", checked);
        const bool times = gives(end, "times", checked);
        if (!effort && !wave && !waves && !times)
            checked.refuse("effort", "nothing says what it takes",
                           "add effort, wave, or waves and times");
        if (effort)
            for (const char* key : {"wave", "impedance", "slope", "times", "waves"})
                if (gives(end, key, checked))
                    checked.refuse(key, fmt::format("'{}' cannot be combined with 'effort'", key),
                                   "keep 'effort' alone, or remove it if the subsystem computes "
                                   "the effort itself");
        if (!effort && waves != times)
            checked.refuse(waves ? "waves" : "times",
                           fmt::format("'{}' is missing", waves ? "times" : "waves"),
                           "a table of waves needs both times and waves");
        if (!effort && !wave && gives(end, "slope", checked))
            checked.refuse("slope", "'slope' needs 'wave'", "add wave = \"...\"");
        for (const char* key : {"origin", "rotation", "axis", "angle"})
            if (checked.stands(key)) refuse_dimension(checked, key, true);
    }

    void check_3d_end(const TlmEnd& end, Checked& checked) {
        need(end, "velocity", checked);
        need(end, "force", checked);
        const bool names_moment = gives(end, "moment", checked);
        if (names_moment) ++ends_with_moments_;
        if (names_moment && !has_moments())
            need(end, "angular_velocity", checked,
                 "add it, or leave out 'moment': a joint that turns freely brings none");
        if (has_moments()) {
            const std::string hint = "add it, or write rotational_impedance = 0";
            need(end, "angular_velocity", checked, hint);
            need(end, "moment", checked, hint);
            if (element_.corotating)
                need(end, "orientation", checked, "add it, or write corotating = false");
        }
        if (!std::ranges::all_of(end.origin, [](double x) { return std::isfinite(x); }))
            checked.refuse("origin", "'origin' must be finite numbers");
        if (!is_rotation(end.rotation))
            checked.refuse("rotation", "'rotation' is not a rotation",
                           "its rows are unit vectors at right angles, in the order of a right "
                           "hand; or give axis and angle");
    }

    const TlmElement& element_;
    Diagnostics& findings_;
    Checked line_;
    bool knows_domain_ = false;
    int ends_with_moments_ = 0;
};

}  // namespace

void check_tlm(const TlmElement& element, const Setting* table, Diagnostics& findings) {
    LineCheck(element, table, findings).run();
}

}  // namespace tandem::description
