#include "base/log.hpp"

#include <gtest/gtest.h>

namespace tandem {
namespace {

TEST(Log, writes_one_line_with_its_level_and_drops_what_is_below) {
    testing::internal::CaptureStderr();
    log(LogLevel::info, "dropped");
    log(LogLevel::warning, "the {} stays as it is");
    set_log_level(LogLevel::debug);
    log(LogLevel::debug, "now shown");
    set_log_level(LogLevel::warning);
    EXPECT_FALSE(logs(LogLevel::info));
    EXPECT_EQ(testing::internal::GetCapturedStderr(),
              "warning: the {} stays as it is\ndebug: now shown\n");
}

}  // namespace
}  // namespace tandem
