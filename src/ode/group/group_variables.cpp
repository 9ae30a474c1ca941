#include "ode/group/group_variables.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tandem::ode {
namespace {

/// Copies `count` values of whichever kind there are.
void copy(const Values& from, std::size_t first_from, Values& to, std::size_t first_to,
          std::size_t count) {
    const auto move = [&](const auto& source, auto& target) {
        for (std::size_t k = 0; k < count && first_from + k < source.size(); ++k)
            target[first_to + k] = source[first_from + k];
    };
    move(from.reals, to.reals);
    move(from.integers, to.integers);
    move(from.strings, to.strings);
}

}  // namespace

void MemberVariables::set_solved(const std::string& output, const double* value,
                                 const bool* is_valid) {
    for (std::size_t i = 0; i < list().size(); ++i)
        for (std::size_t k = 0; k < list()[i].size; ++k) {
            const std::string& name = list()[i].name;
            if (output == (list()[i].size == 1 ? name : fmt::format("{}[{}]", name, k + 1)))
                solved_.push_back({i, k, value, is_valid});
        }
}

void MemberVariables::read(const VariableGroup& group, Values& values) {
    member_.variables().read(group, values);
    put_solved(group, values);
}

void MemberVariables::observe(const VariableGroup& group, Values& values) {
    member_.variables().observe(group, values);
    put_solved(group, values);
}

std::vector<std::size_t> MemberVariables::unknown(const VariableGroup& group) {
    auto* const partly = dynamic_cast<PartlyReadable*>(&member_.variables());
    return partly == nullptr ? std::vector<std::size_t>() : partly->unknown(group);
}

bool MemberVariables::is_readable(const VariableGroup& group) const {
    const auto* const partly = dynamic_cast<const PartlyReadable*>(&member_.variables());
    return partly == nullptr || partly->is_readable(group);
}

void MemberVariables::put_solved(const VariableGroup& group, Values& values) const {
    if (solved_.empty()) return;
    std::size_t first = 0;
    for (const std::size_t variable : group.variables) {
        for (const Solved& solved : solved_)
            if (solved.variable == variable && *solved.is_valid)
                values.reals[first + solved.element] = *solved.value;
        first += list()[variable].size;
    }
}

GroupVariables::GroupVariables(const std::vector<std::unique_ptr<OdeModel>>& members)
    : members_(members) {
    for (std::size_t m = 0; m < members.size(); ++m) {
        of_member_.push_back(std::make_unique<MemberVariables>(*members[m], was_written_));
        const auto& own = members[m]->variables().list();
        for (std::size_t i = 0; i < own.size(); ++i) {
            list_.push_back(own[i]);
            list_.back().name = members[m]->name() + "." + own[i].name;
            member_.push_back(m);
            index_.push_back(i);
        }
    }
}

VariableGroup GroupVariables::group(std::span<const std::size_t> variables) const {
    VariableGroup group;
    if (!variables.empty()) group.type = list_[variables.front()].type;
    for (const std::size_t variable : variables) {
        group.variables.push_back(variable);
        group.size += list_[variable].size;
    }
    return group;
}

template <class Visit>
void GroupVariables::for_each(const VariableGroup& group, Visit visit) const {
    std::size_t first = 0;
    for (const std::size_t variable : group.variables) {
        Variables& own = *of_member_[member_[variable]];
        const VariableGroup one = own.group(std::span(&index_[variable], 1));
        visit(own, one, first);
        first += one.size;
    }
}

void GroupVariables::read(const VariableGroup& group, Values& values) {
    read_by(&Variables::read, group, values);
}

void GroupVariables::observe(const VariableGroup& group, Values& values) {
    read_by(&Variables::observe, group, values);
}

void GroupVariables::read_by(Reading reading, const VariableGroup& group, Values& values) {
    for_each(group, [&](Variables& own, const VariableGroup& one, std::size_t first) {
        Values part;
        part.resize(one.type, one.size);
        (own.*reading)(one, part);
        copy(part, 0, values, first, one.size);
    });
}

void GroupVariables::write(const VariableGroup& group, const Values& values) {
    was_written_ = true;
    for_each(group, [&](Variables& own, const VariableGroup& one, std::size_t first) {
        Values part;
        part.resize(one.type, one.size);
        copy(values, first, part, 0, one.size);
        own.write(one, part);
    });
}

}  // namespace tandem::ode
