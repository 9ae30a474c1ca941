#pragma once

#include <functional>

namespace tandem::cli {

/// Does `work` in a child process and returns its exit code. If the child ends without a word
/// (_exit() in an FMU, a signal without a handler, SIGKILL), this process says so, runs the
/// emergency hooks in its place, and returns a code that is not 0. Signals sent to this process
/// reach the child; if this process is killed, so is the child. Under a debugger, and where no
/// process can be made, `work` is done here.
int supervised(const std::function<int()>& work);

}  // namespace tandem::cli
