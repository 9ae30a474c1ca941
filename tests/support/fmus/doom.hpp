#pragma once

#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <string>

/// Writes over what the allocator notes beside a block that was freed; not the first few of a size,
/// which it keeps aside for the next requests.
inline void damage_memory() {
    constexpr std::size_t count = 16, size = 40;
    void* volatile blocks[count];
    for (std::size_t i = 0; i < count; ++i) blocks[i] = std::malloc(size);
    for (std::size_t i = 0; i < count; ++i) std::free(blocks[i]);
    *(static_cast<volatile std::size_t*>(blocks[count - 2]) - 1) = 0;
}

/// Does to the process what TANDEM_DOOM says, e.g. "fmi2Terminate exit_at_once", if `place` is the
/// one that it names.
inline void doom(const std::string& place) {
    const char* wanted = std::getenv("TANDEM_DOOM");
    const std::string fate = wanted != nullptr ? wanted : "";
    if (!fate.starts_with(place + " ")) return;
    const std::string deed = fate.substr(place.size() + 1);
    if (deed == "exit_0") std::exit(0);
    if (deed == "exit_7") std::exit(7);
    if (deed == "quick_exit") std::quick_exit(0);
    if (deed == "exit_at_once") _exit(0);
    if (deed == "abort") std::abort();
    if (deed == "damage_memory") damage_memory();
    if (deed == "close_everything") closefrom(0);
    for (int file = 0; deed.starts_with("close_streams") && file < 3; ++file) close(file);
    if (deed == "close_streams_and_crash") std::raise(SIGSEGV);
    if (deed == "throw") throw std::runtime_error("boom");
    if (deed == "forget_handlers") std::signal(SIGSEGV, SIG_DFL);
    volatile int* volatile nowhere = nullptr;
    if (deed == "crash" || deed == "forget_handlers") *nowhere = 1;
}

/// A static object of it is made when the library is loaded, and goes when it is unloaded.
struct DoomOfLibrary {
    DoomOfLibrary() { doom("load"); }
    ~DoomOfLibrary() { doom("unload"); }
};
