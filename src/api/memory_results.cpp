#include "api/memory_results.hpp"

#include <algorithm>

#include "base/names.hpp"
#include "tandem/error.hpp"

namespace tandem {

const std::vector<double>& Results::operator[](const std::string& name) const {
    const auto found = std::ranges::find(series, name, &Series::name);
    if (found != series.end()) return found->values;
    std::vector<std::string> names;
    for (const Series& one : series) names.push_back(one.name);
    throw InputError(name, "there are no results of this name",
                     did_you_mean(name, names, "keep() chooses what is kept"));
}

}  // namespace tandem
