#include "fmi/import/common.hpp"

#include <string_view>

namespace tandem::fmi {

std::string file_uri(const std::filesystem::path& path) {
    constexpr std::string_view plain =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
    std::string uri = "file://";
    for (const char c : std::filesystem::absolute(path).string()) {
        if (plain.find(c) != std::string_view::npos)
            uri += c;
        else
            uri += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
    return uri;
}

}  // namespace tandem::fmi
