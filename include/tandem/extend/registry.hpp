#pragma once

#include <algorithm>
#include <list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tandem/error.hpp"

namespace tandem {

/// "there is no coupling 'x'", with what the name may be meant to be.
Diagnostic unknown_name(const std::string& kind, std::string_view name,
                        const std::vector<std::string>& known, const std::string& place);
/// "there already is a coupling 'x'"
InputError taken_name(const std::string& kind, const std::string& name, const std::string& place);

/// What there is of one kind (couplings, solvers, ...), by name, and open to more: a row has a
/// `name`, older names in `aliases`, and a `summary` of one line. Rows stay where they are.
template <class Row>
class Registry {
public:
    /// `kind` as in "there is no coupling 'x'".
    Registry(std::string kind, std::vector<Row> rows) : kind_(std::move(kind)) {
        for (Row& row : rows) insert(std::move(row));
    }

    /// In alphabetic order of names.
    const std::list<Row>& rows() const { return rows_; }

    std::vector<std::string> names() const {
        std::vector<std::string> names;
        for (const Row& row : rows_) names.push_back(row.name);
        return names;
    }

    /// By name or alias; null if there is none.
    const Row* find(std::string_view name) const {
        const auto row = std::ranges::find_if(rows_, [&](const Row& one) {
            return one.name == name || std::ranges::find(one.aliases, name) != one.aliases.end();
        });
        return row == rows_.end() ? nullptr : &*row;
    }

    /// The same; where there is none, an error with the place where the name stands.
    const Row* find(std::string_view name, const std::string& place, Diagnostics& findings) const {
        const Row* row = find(name);
        if (row == nullptr) findings.push_back(unknown_name(kind_, name, names(), place));
        return row;
    }

    /// InputError at `place`, who adds it, if a name is taken.
    void add(Row row, const std::string& place) {
        std::vector<std::string> all = row.aliases;
        all.push_back(row.name);
        for (const std::string& name : all)
            if (name.empty() || find(name) != nullptr) throw taken_name(kind_, name, place);
        insert(std::move(row));
    }

private:
    void insert(Row row) {
        const auto later =
            std::ranges::find_if(rows_, [&](const Row& one) { return row.name < one.name; });
        rows_.insert(later, std::move(row));
    }

    std::string kind_;
    std::list<Row> rows_;
};

}  // namespace tandem
