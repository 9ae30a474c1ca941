#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace tandem {

/// The content of a regular file of at most that many bytes, whatever a system or the command line
/// names: devices, pipes and larger files are refused before they are read. Throws InputError.
std::string read_file(const std::filesystem::path& path, std::uint64_t most_bytes);

/// "256 MiB", "4 GiB": for messages that state a limit.
std::string size_text(std::uint64_t bytes);

}  // namespace tandem
