#pragma once

#include <source_location>
#include <stdexcept>
#include <string>
#include <vector>

namespace tandem {

/// "place: problem", then the hint on a line of its own when there is one.
std::string sentence(const std::string& place, const std::string& problem, const std::string& hint);

/// The user's input is wrong: a file, an option, a name. `place` is a path, `path:line`, or an
/// option.
class InputError : public std::runtime_error {
public:
    InputError(std::string place, std::string problem, std::string hint = {});

    const std::string& place() const { return place_; }
    const std::string& problem() const { return problem_; }
    const std::string& hint() const { return hint_; }

private:
    std::string place_;
    std::string problem_;
    std::string hint_;
};

/// An FMU failed while it ran: it returned error or fatal, NaN, or something that makes no sense.
class FmuError : public std::runtime_error {
public:
    /// `call` is the function that failed, `problem` what it did; `log` are the FMU's last
    /// messages.
    FmuError(std::string instance, std::string call, std::string problem,
             std::vector<std::string> log = {});

    const std::string& instance() const { return instance_; }
    const std::string& call() const { return call_; }

private:
    std::string instance_;
    std::string call_;
};

/// The numerics failed beyond repair: a solver that cannot go on, an event loop that does not end.
class NumericsError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Our own bug: a promise between two parts of Tandem is broken.
class ContractViolation : public std::logic_error {
public:
    using std::logic_error::logic_error;
};

/// Throws ContractViolation unless `condition` holds. `claim` reads as a fact: "links are sorted".
void expects(bool condition, const char* claim,
             std::source_location where = std::source_location::current());

enum class Severity { warning, error };

/// One finding of a check. Errors stop a run, warnings do not.
struct Diagnostic {
    Severity severity = Severity::warning;
    std::string place;
    std::string problem;
    std::string hint;
};

using Diagnostics = std::vector<Diagnostic>;
bool has_errors(const Diagnostics& findings);

/// Several things in the user's input are wrong; what() holds a sentence for each. Place, problem
/// and hint are those of the first.
class InputErrors : public InputError {
public:
    /// `findings` may hold warnings too, but must hold an error.
    explicit InputErrors(Diagnostics findings);

    const Diagnostics& findings() const { return findings_; }
    const char* what() const noexcept override { return text_.c_str(); }

private:
    Diagnostics findings_;
    std::string text_;
};

/// Throws InputErrors if an error is among the findings.
void throw_errors(const Diagnostics& findings);

}  // namespace tandem
