#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tandem {

/// SHA-256 of FIPS 180-4, fed piece by piece.
class Sha256 {
public:
    void add(std::string_view bytes);
    /// The digest of everything added, as 64 hexadecimal digits. Call it once.
    std::string finish();

private:
    static constexpr std::size_t block_size = 64;
    void compress(const unsigned char* block);

    std::array<std::uint32_t, 8> state_ = {0x6a09e667U, 0xbb67ae85U, 0x3c6ef372U, 0xa54ff53aU,
                                           0x510e527fU, 0x9b05688cU, 0x1f83d9abU, 0x5be0cd19U};
    std::array<unsigned char, block_size> pending_{};
    std::size_t pending_size_ = 0;
    std::uint64_t total_ = 0;
};

std::string sha256(std::string_view bytes);

/// The digest of a file's content. Throws InputError when it cannot be read.
std::string sha256_of_file(const std::string& path);

}  // namespace tandem
