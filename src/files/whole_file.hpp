#pragma once

#include <string>
#include <string_view>

namespace tandem {

/// Writes a file that is there completely or, if that fails, as it was before: aside, then renamed.
/// What is no regular file (a device, a pipe) is written directly. Throws InputError with `hint`
/// when the file cannot be written.
void write_whole_file(const std::string& path, const std::string& hint, std::string_view content);

/// Where this process writes the file aside: another one that writes it has a draft of its own.
std::string draft_of(const std::string& path);

/// Throws InputError with `hint` if there is no folder for the file.
void expect_folder_of(const std::string& path, const std::string& hint);

}  // namespace tandem
