#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace tandem::fmi {

/// Thrown where an FMU calls a function that nothing provides.
class UndefinedFunction : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Finds the functions that a library, loaded with RTLD_LAZY, calls and that nothing provides. The
/// dynamic linker would end the process at such a call; from now on it throws UndefinedFunction.
std::vector<std::string> catch_undefined_functions(void* library);

}  // namespace tandem::fmi
