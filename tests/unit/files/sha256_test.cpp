#include "files/sha256.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "files/temporary_folder.hpp"
#include "tandem/error.hpp"

namespace tandem {
namespace {

// The digests are the examples that NIST publishes for FIPS 180-4.
TEST(Sha256, gives_the_published_digests) {
    EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
              "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    EXPECT_EQ(sha256(std::string(1'000'000, 'a')),
              "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, does_not_depend_on_how_the_bytes_are_cut) {
    const std::string text(200, 'x');
    for (std::size_t cut = 0; cut <= text.size(); ++cut) {
        Sha256 hash;
        hash.add(std::string_view(text).substr(0, cut));
        hash.add(std::string_view(text).substr(cut));
        EXPECT_EQ(hash.finish(), sha256(text)) << "cut at " << cut;
    }
}

TEST(Sha256, of_a_file_is_that_of_its_bytes) {
    const TemporaryFolder folder;
    const std::string path = folder.path() / "bytes";
    const std::string content(100'000, '\0');
    std::ofstream(path, std::ios::binary) << content;
    EXPECT_EQ(sha256_of_file(path), sha256(content));
    EXPECT_THROW(sha256_of_file(folder.path() / "missing"), InputError);
    EXPECT_THROW(sha256_of_file(folder.path()), InputError);
}

}  // namespace
}  // namespace tandem
