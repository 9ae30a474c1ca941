#include "tandem/error.hpp"

#include <algorithm>
#include <utility>

namespace tandem {
namespace {

std::string fmu_sentence(const std::string& instance, const std::string& call,
                         const std::string& problem, const std::vector<std::string>& log) {
    std::string text = instance + ": " + call + " " + problem;
    for (const std::string& line : log) text += "\n  log: " + line;
    return text;
}

}  // namespace

std::string sentence(const std::string& place, const std::string& problem,
                     const std::string& hint) {
    std::string text = place.empty() ? problem : place + ": " + problem;
    if (!hint.empty()) text += "\n  hint: " + hint;
    return text;
}

InputError::InputError(std::string place, std::string problem, std::string hint)
    : std::runtime_error(sentence(place, problem, hint)),
      place_(std::move(place)),
      problem_(std::move(problem)),
      hint_(std::move(hint)) {}

FmuError::FmuError(std::string instance, std::string call, std::string problem,
                   std::vector<std::string> log)
    : std::runtime_error(fmu_sentence(instance, call, problem, log)),
      instance_(std::move(instance)),
      call_(std::move(call)) {}

namespace {

const Diagnostic& first_error(const Diagnostics& findings) {
    for (const Diagnostic& finding : findings)
        if (finding.severity == Severity::error) return finding;
    throw ContractViolation("InputErrors needs an error (a bug in Tandem; please report it)");
}

}  // namespace

bool has_errors(const Diagnostics& findings) {
    return std::ranges::any_of(
        findings, [](const Diagnostic& finding) { return finding.severity == Severity::error; });
}

InputErrors::InputErrors(Diagnostics findings)
    : InputError(first_error(findings).place, first_error(findings).problem,
                 first_error(findings).hint),
      findings_(std::move(findings)) {
    constexpr std::size_t most_sentences = 10'000;
    std::size_t errors = 0;
    for (const Diagnostic& finding : findings_) {
        if (finding.severity != Severity::error || ++errors > most_sentences) continue;
        if (!text_.empty()) text_ += '\n';
        text_ += sentence(finding.place, finding.problem, finding.hint);
    }
    if (errors > most_sentences)
        text_ += "\n... and " + std::to_string(errors - most_sentences) + " more errors";
}

void throw_errors(const Diagnostics& findings) {
    for (const Diagnostic& finding : findings)
        if (finding.severity == Severity::error) throw InputErrors(findings);
}

void expects(bool condition, const char* claim, std::source_location where) {
    if (condition) return;
    throw ContractViolation(std::string(where.file_name()) + ":" + std::to_string(where.line()) +
                            ": expected that " + claim + " (a bug in Tandem; please report it)");
}

}  // namespace tandem
