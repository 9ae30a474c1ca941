#pragma once

#include <stdexcept>

namespace tandem {

/// Results could not be written: the disk is full, the reader of a pipe went away.
class OutputError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

}  // namespace tandem
