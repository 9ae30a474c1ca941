#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

namespace tandem::test {

inline std::string read_bytes(const std::filesystem::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

inline void write_bytes(const std::filesystem::path& file, std::string_view bytes) {
    std::ofstream(file, std::ios::binary) << bytes;
}

/// A number as zip archives write it: lowest byte first.
inline std::string little_endian(std::uint64_t value, std::size_t size) {
    std::string bytes;
    for (std::size_t i = 0; i < size; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xFFU);
    return bytes;
}

/// Fields of a header in the central directory of a zip archive: where they lie and how long.
struct ZipField {
    std::size_t offset;
    std::size_t size;
};
constexpr ZipField zip_flags{8, 2};
constexpr ZipField zip_method{10, 2};
constexpr ZipField zip_real_size{24, 4};
constexpr ZipField zip_attributes{38, 4};

/// Writes `value` into that field of every entry.
inline void set_zip_field(std::string& zip, ZipField field, std::uint32_t value) {
    constexpr std::string_view signature = "PK\x01\x02";
    for (auto at = zip.find(signature); at != std::string::npos; at = zip.find(signature, at + 1))
        zip.replace(at + field.offset, field.size, little_endian(value, field.size));
}

/// An archive that lists `count` empty files, made without any zip library: they take too long for
/// a large number. Zip64, because the older form cannot count beyond 65535.
inline std::string zip_with_empty_files(std::uint64_t count) {
    constexpr std::size_t name_size = 8;
    const auto name_of = [](std::uint64_t i) {
        const std::string digits = std::to_string(i);
        return std::string(name_size - digits.size(), 'f') + digits;
    };
    std::string zip =
        "PK\x03\x04" + std::string(22, '\0') + little_endian(name_size, 4) + name_of(0);
    const std::size_t directory = zip.size();
    for (std::uint64_t i = 0; i < count; ++i)
        zip += "PK\x01\x02" + std::string(24, '\0') + little_endian(name_size, 2) +
               std::string(16, '\0') + name_of(i);
    const std::size_t end = zip.size();
    zip += "PK\x06\x06" + little_endian(44, 8) + little_endian(45, 2) + little_endian(45, 2) +
           std::string(8, '\0') + little_endian(count, 8) + little_endian(count, 8) +
           little_endian(end - directory, 8) + little_endian(directory, 8);
    zip += "PK\x06\x07" + std::string(4, '\0') + little_endian(end, 8) + little_endian(1, 4);
    zip += "PK\x05\x06" + std::string(4, '\0') + std::string(12, '\xFF') + std::string(2, '\0');
    return zip;
}

/// Replaces every occurrence of a text by one of the same length.
inline void replace_all(std::string& bytes, std::string_view from, std::string_view to) {
    for (auto at = bytes.find(from); at != std::string::npos; at = bytes.find(from, at + to.size()))
        bytes.replace(at, from.size(), to);
}

}  // namespace tandem::test
