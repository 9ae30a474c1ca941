#pragma once

#include <span>
#include <string_view>

namespace tandem::fmi {

/// A C header of the FMI standard's interface, for sources that do not bring it: see fmi/headers.
struct InterfaceHeader {
    std::string_view name;
    std::string_view text;
};

std::span<const InterfaceHeader> interface_headers();

}  // namespace tandem::fmi
