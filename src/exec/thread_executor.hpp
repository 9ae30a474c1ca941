#pragma once

#include <memory>

#include "tandem/extend/executor.hpp"

namespace tandem::exec {

enum class Use {
    where_it_helps,  ///< by measurement, see Decision
    always,          ///< wherever tasks may run together
};

/// `threads` with the one that calls run(); 0: as many as the machine has. With one it is the
/// serial executor. The threads start when they are first used.
std::unique_ptr<Executor> make_thread_executor(int threads, Use use = Use::where_it_helps);

/// As many as this process may use.
int threads_of_this_machine();

}  // namespace tandem::exec
