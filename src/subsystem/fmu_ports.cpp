#include "subsystem/fmu_ports.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace tandem::subsystem {

FmuPorts::FmuPorts(fmi::Instance& instance, const FmuVariables& variables, Side side,
                   const std::set<std::string>* selection)
    : instance_(instance) {
    const auto& all = instance.fmu().description().variables;
    const auto wanted = [&](const fmi::Variable& variable) {
        const bool continuous = variable.variability == fmi::Variability::continuous;
        switch (side) {
            case Side::inputs: return variable.causality == fmi::Causality::input;
            case Side::continuous_inputs:
                return variable.causality == fmi::Causality::input && continuous;
            case Side::outputs:
                return variable.causality == fmi::Causality::output ||
                       (selection != nullptr && variable.causality != fmi::Causality::input);
        }
        return false;
    };
    const auto selected = [&](std::size_t i) {
        return selection == nullptr ||
               std::ranges::any_of(names(all[i], variables.size(i)), [&](const std::string& name) {
                   return selection->contains(name);
               });
    };
    for (const ValueType type : {ValueType::float64, ValueType::float32}) {
        for (std::size_t i = 0; i < all.size(); ++i)
            if (all[i].type == type && wanted(all[i]) && selected(i)) add(i, variables);
        if (type == ValueType::float64) wide_ = ports_.size();
    }
    narrow_.resize(ValueType::float32, ports_.size() - wide_);
    scratch_.resize(ports_.size());
    last_set_.resize(ports_.size(), std::numeric_limits<double>::quiet_NaN());
}

void FmuPorts::add(std::size_t index, const FmuVariables& variables) {
    const fmi::Variable& variable = variables.variable(index);
    const std::size_t size = variables.size(index);
    variables_.push_back(index);
    ranges_[index] = {ports_.size(), size};
    auto& references = variable.type == ValueType::float64 ? references_ : narrow_references_;
    references.push_back(variable.reference);
    if (variable.negated_alias) negated_.push_back(ports_.size());
    double nominal = std::abs(variable.attributes.nominal.value_or(1.0));
    if (nominal == 0.0 || !std::isfinite(nominal)) nominal = 1.0;
    for (std::string& name : names(variable, size))
        ports_.push_back({std::move(name), variable.attributes.unit, nominal});
}

std::vector<std::string> FmuPorts::names(const fmi::Variable& variable, std::size_t size) {
    if (variable.dimensions.empty() || size == 1) return {variable.name};
    std::vector<std::string> names;
    for (std::size_t k = 0; k < size; ++k)
        names.push_back(fmt::format("{}[{}]", variable.name, k + 1));
    return names;
}

bool FmuPorts::last_set(std::size_t variable, Values& value) const {
    const Range range = this->range(variable);
    if (range.count == 0 || std::isnan(last_set_[range.first])) return false;
    std::copy_n(last_set_.begin() + static_cast<std::ptrdiff_t>(range.first), range.count,
                value.reals.begin());
    return true;
}

void FmuPorts::set(std::span<const double> values) {
    std::ranges::copy(values, last_set_.begin());
    if (!negated_.empty()) {
        std::copy(values.begin(), values.end(), scratch_.begin());
        for (const std::size_t i : negated_) scratch_[i] = -scratch_[i];
        values = scratch_;
    }
    instance_.set(references_, values.first(wide_));
    if (narrow_references_.empty()) return;
    std::copy(values.begin() + static_cast<std::ptrdiff_t>(wide_), values.end(),
              narrow_.reals.begin());
    instance_.set(ValueType::float32, narrow_references_, narrow_);
}

void FmuPorts::get(std::span<double> values) {
    instance_.get(references_, values.first(wide_));
    if (!narrow_references_.empty()) instance_.get(ValueType::float32, narrow_references_, narrow_);
    finish_reading(values);
}

bool FmuPorts::try_get(std::span<double> values) {
    const bool done = instance_.try_get(references_, values.first(wide_)) &&
                      instance_.try_get(ValueType::float32, narrow_references_, narrow_);
    if (done) finish_reading(values);
    return done;
}

void FmuPorts::finish_reading(std::span<double> values) const {
    std::ranges::copy(narrow_.reals, values.begin() + static_cast<std::ptrdiff_t>(wide_));
    for (const std::size_t i : negated_) values[i] = -values[i];
}

int FmuPorts::prepare(std::span<const int> ports) {
    if (!is_plain()) return -1;
    std::vector<char> is_wanted(ports_.size(), 0);
    for (const int port : ports) is_wanted[static_cast<std::size_t>(port)] = 1;
    Some some;
    for (std::size_t v = 0; v < variables_.size(); ++v) {
        const Range range = ranges_.at(variables_[v]);
        const auto first = is_wanted.begin() + static_cast<std::ptrdiff_t>(range.first);
        const auto last = first + static_cast<std::ptrdiff_t>(range.count);
        if (std::find(first, last, 1) == last) continue;
        some.references.push_back(references_[v]);
        for (std::size_t port = range.first; port < range.first + range.count; ++port) {
            if (is_wanted[port]) some.wanted.push_back(some.ports.size());
            some.ports.push_back(port);
        }
    }
    some.values.resize(some.ports.size());
    some_.push_back(std::move(some));
    Some& kept = some_.back();
    if (std::ranges::equal(ports, kept.ports, {},
                           [](int port) { return static_cast<std::size_t>(port); }))
        for (double& value : kept.values) kept.places.push_back(&value);
    return static_cast<int>(some_.size()) - 1;
}

void FmuPorts::set(int prepared, std::span<const double> values) {
    Some& some = some_[static_cast<std::size_t>(prepared)];
    for (std::size_t i = 0; i < some.ports.size(); ++i)
        some.values[i] = last_set_[some.ports[i]] = values[some.ports[i]];
    instance_.set(some.references, some.values);
}

bool FmuPorts::get(int prepared, std::span<double> values) {
    Some& some = some_[static_cast<std::size_t>(prepared)];
    instance_.get(some.references, some.values);
    double nothing = 0.0;  // or what is no number, if a value is not finite
    for (const std::size_t i : some.wanted) {
        values[some.ports[i]] = some.values[i];
        nothing += 0.0 * some.values[i];
    }
    return nothing == 0.0;
}

std::span<double* const> FmuPorts::places(int prepared) const {
    return some_[static_cast<std::size_t>(prepared)].places;
}

void FmuPorts::set_from_places(int prepared) {
    const Some& some = some_[static_cast<std::size_t>(prepared)];
    for (std::size_t i = 0; i < some.ports.size(); ++i) last_set_[some.ports[i]] = some.values[i];
    instance_.set(some.references, some.values);
}

const std::string* FmuPorts::first_not_finite(std::span<const double> values) const {
    const auto bad =
        std::find_if(values.begin(), values.end(), [](double v) { return !std::isfinite(v); });
    return bad == values.end() ? nullptr
                               : &ports_[static_cast<std::size_t>(bad - values.begin())].name;
}

FmuPorts::Range FmuPorts::range(std::size_t variable) const {
    const auto found = ranges_.find(variable);
    return found == ranges_.end() ? Range{} : found->second;
}

}  // namespace tandem::subsystem
