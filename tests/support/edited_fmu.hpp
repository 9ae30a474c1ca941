#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "files/archive.hpp"
#include "files/temporary_folder.hpp"
#include "support/zip_surgery.hpp"

namespace tandem::test {

/// An FMU whose description was changed, unpacked in a folder that is gone afterwards.
class EditedFmu {
public:
    /// Of each pair the first is replaced by the second, wherever it stands; it must be there.
    using Edits = std::vector<std::pair<std::string, std::string>>;

    EditedFmu(const std::filesystem::path& fmu, const Edits& edits) {
        Archive(fmu).unpack(path());
        std::string text = test::read_bytes(path() / "modelDescription.xml");
        for (const auto& [from, to] : edits) {
            EXPECT_NE(text.find(from), std::string::npos) << from;
            test::replace_all(text, from, to);
        }
        test::write_bytes(path() / "modelDescription.xml", text);
    }
    std::filesystem::path path() const { return folder_.path() / "fmu"; }

private:
    TemporaryFolder folder_;
};

}  // namespace tandem::test
