#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

namespace tandem::test {

/// A file of this test alone, gone afterwards.
class ScratchFile {
public:
    explicit ScratchFile(const std::string& extension) {
        const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
        std::string name = std::string(test->test_suite_name()) + "_" + test->name();
        for (char& c : name)
            if (c == '/') c = '_';
        static int count = 0;
        path_ = std::filesystem::temp_directory_path() /
                (name + "_" + std::to_string(getpid()) + "_" + std::to_string(++count) + extension);
    }
    ~ScratchFile() { std::filesystem::remove(path_); }
    ScratchFile(const ScratchFile&) = delete;
    ScratchFile& operator=(const ScratchFile&) = delete;
    std::string path() const { return path_.string(); }

private:
    std::filesystem::path path_;
};

}  // namespace tandem::test
