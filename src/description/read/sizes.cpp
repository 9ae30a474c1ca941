#include "description/read/sizes.hpp"

#include <fmt/format.h>

#include <cmath>
#include <set>

namespace tandem::description {
namespace {

using Type = Setting::Type;

struct SizeKey {
    const char* name;
    const char* hint;
};

constexpr SizeKey size_keys[] = {
    {"nominal", "write nominal = { p = 1e5 }: the usual size of p, in its own unit"},
    {"absolute_tolerance",
     "write absolute_tolerance = 1e-9 for all states, or { x = 1e-9 } for some"},
};

class SizeTable {
public:
    SizeTable(const SizeKey& key, const Setting& given, TableReader& reader)
        : key_(key), reader_(reader), flat_(group(given.key, Type::table, {})) {
        flat_.place = given.place;
        add(given, "");
    }
    bool is_valid() const { return is_valid_; }
    const Setting& flat() const { return flat_; }

private:
    void add(const Setting& table, const std::string& prefix) {
        for (const Setting& entry : table.entries) {
            const std::string name = prefix + entry.key;
            if (entry.type == Type::table && !entry.entries.empty()) {
                add(entry, name + ".");
            } else if (is_size(entry, name)) {
                flat_.entries.push_back(real_setting(name, entry.as_real()));
                flat_.entries.back().place = entry.place;
            }
        }
    }

    bool is_size(const Setting& entry, const std::string& name) {
        if (!entry.is_number()) return refuse(entry, name, noun(entry.type));
        const double size = entry.as_real();
        if (!std::isfinite(size) || size <= 0.0)
            return refuse(entry, name, fmt::format("{}", size));
        if (names_.insert(name).second) return true;
        is_valid_ = false;
        reader_.refuse(entry, fmt::format("'{}': '{}' is given twice", key_.name, name));
        return false;
    }

    bool refuse(const Setting& entry, const std::string& name, std::string_view what) {
        is_valid_ = false;
        reader_.refuse(entry,
                       fmt::format("'{}': '{}' must be a finite number greater than 0, but is {}",
                                   key_.name, name, what),
                       key_.hint);
        return false;
    }

    const SizeKey& key_;
    TableReader& reader_;
    Setting flat_;
    std::set<std::string> names_;
    bool is_valid_ = true;
};

}  // namespace

void read_sizes(TableReader& reader, std::vector<Setting>& options) {
    for (const SizeKey& key : size_keys) {
        const Setting* given = reader.any(key.name);
        if (given == nullptr) continue;
        if (given->type == Type::table) {
            const SizeTable table(key, *given, reader);
            if (table.is_valid() && !table.flat().entries.empty()) options.push_back(table.flat());
        } else if (!given->is_number()) {
            reader.refuse(*given,
                          fmt::format("'{}' must be a number or a table of numbers, but is {}",
                                      key.name, noun(given->type)),
                          key.hint);
        } else if (reader.positive(key.name)) {
            options.push_back(*given);
        }
    }
}

}  // namespace tandem::description
