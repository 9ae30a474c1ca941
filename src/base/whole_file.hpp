#pragma once

#include <string>
#include <string_view>

namespace tandem {

/// Writes a file that is there completely or, if that fails, as it was before: aside, then renamed.
/// What is no regular file (a device, a pipe) is written directly. Throws InputError with `hint`
/// when the file cannot be written.
void write_whole_file(const std::string& path, const std::string& hint, std::string_view content);

/// Throws InputError with `hint` if there is no folder for the file.
void expect_folder_of(const std::string& path, const std::string& hint);

}  // namespace tandem
