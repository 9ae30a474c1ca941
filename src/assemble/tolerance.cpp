#include "assemble/tolerance.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/log.hpp"

namespace tandem::assemble {

std::optional<Diagnostic> tolerance_finding(double tolerance, const std::string& place) {
    constexpr const char* hint = "1e-6 is usual";
    if (!(tolerance > 0.0 && std::isfinite(tolerance)))
        return Diagnostic{
            Severity::error, place,
            fmt::format("the tolerance must be positive and finite, but is {}", tolerance), hint};
    if (tolerance < 1.0) return std::nullopt;
    return Diagnostic{Severity::warning, place,
                      fmt::format("the tolerance {} is relative: it allows errors as large as the "
                                  "values themselves",
                                  tolerance),
                      hint};
}

void check_tolerance(const std::optional<double>& tolerance, const std::string& place) {
    const auto finding = tolerance ? tolerance_finding(*tolerance, place) : std::nullopt;
    if (!finding) return;
    if (finding->severity == Severity::error)
        throw InputError(finding->place, finding->problem, finding->hint);
    log(LogLevel::warning, sentence(finding->place, finding->problem, finding->hint));
}

}  // namespace tandem::assemble
