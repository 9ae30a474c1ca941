#pragma once

#include <string>
#include <utility>

#include "tandem/extend/coupling.hpp"
#include "tandem/extend/port_variables.hpp"
#include "tandem/extend/result_writer.hpp"
#include "tandem/extend/solver.hpp"
#include "tandem/extend/source.hpp"
#include "tandem/extend/step_control.hpp"
#include "tandem/extend/step_memory.hpp"
#include "tandem/extend/step_tasks.hpp"
#include "tandem/version.hpp"

/// A plug-in is a shared library that adds rows to the registries of Tandem:
///
///     #include <tandem/extend/plugin.hpp>
///     static void add(tandem::PluginRows& rows) { rows.add(tandem::coupling::CouplingRow{...}); }
///     TANDEM_PLUGIN(add)
///
/// It is named in a system file, `plugins = ["libmine.so"]`, or on the command line, `--plugin
/// libmine.so`. It must be built with the headers of the Tandem that loads it and the same compiler
/// interface. See docs/plugins.md.
namespace tandem {

/// Takes the rows of one plug-in. A name that is taken already ends in InputError.
class PluginRows {
public:
    explicit PluginRows(std::string plugin) : plugin_(std::move(plugin)) {}

    void add(coupling::CouplingRow row) { coupling::couplings().add(std::move(row), plugin_); }
    void add(stepsize::ControlRow row) { stepsize::controls().add(std::move(row), plugin_); }
    void add(ode::SolverRow row) { ode::solvers().add(std::move(row), plugin_); }
    void add(results::FormatRow row) { results::formats().add(std::move(row), plugin_); }
    void add(subsystem::SourceRow row) { subsystem::sources().add(std::move(row), plugin_); }

private:
    std::string plugin_;  // its path, for messages
};

/// What a plug-in says of itself, in plain C as far as versions are compared.
struct Plugin {
    const char* tandem_version;
    long compiler_interface;
    void (*add)(PluginRows& rows);
};

/// Changes where classes of the standard library are laid out in another way.
#ifdef _GLIBCXX_USE_CXX11_ABI
inline constexpr long compiler_interface = 10L * __GXX_ABI_VERSION + _GLIBCXX_USE_CXX11_ABI;
#else
inline constexpr long compiler_interface = 10L * __GXX_ABI_VERSION;
#endif

}  // namespace tandem

/// Once in a plug-in, outside of namespaces. `function` takes PluginRows&.
#define TANDEM_PLUGIN(function)                                                                 \
    extern "C" __attribute__((visibility("default"))) const ::tandem::Plugin* tandem_plugin() { \
        static const ::tandem::Plugin plugin = {TANDEM_VERSION, ::tandem::compiler_interface,   \
                                                function};                                      \
        return &plugin;                                                                         \
    }
