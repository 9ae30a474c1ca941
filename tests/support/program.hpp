#pragma once

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

namespace tandem::test {

/// Starts the command-line program in `folder`; what it prints goes to said.txt there.
inline pid_t start_tandem(const std::string& folder, const std::vector<std::string>& arguments) {
    std::vector<char*> argv{const_cast<char*>(TANDEM_EXE)};
    for (const std::string& argument : arguments)
        argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    const pid_t child = fork();
    if (child != 0) return child;
    if (chdir(folder.c_str()) == 0) {
        const int said = open("said.txt", O_WRONLY | O_CREAT | O_TRUNC, 0600);
        if (said >= 0 && dup2(said, STDOUT_FILENO) >= 0 && dup2(said, STDERR_FILENO) >= 0)
            execv(TANDEM_EXE, argv.data());
    }
    _exit(127);
}

/// Waits for its end: the exit code, or 128 + the signal that ended it.
inline int finish_tandem(pid_t child) {
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace tandem::test
