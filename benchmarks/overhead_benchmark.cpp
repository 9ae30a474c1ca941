// What Tandem costs beside the FMUs: a ring of N FMI 2.0 Co-Simulation FMUs, each with x and v of
// both neighbours as inputs and x and v as outputs, by Jacobi; against a hand-written loop that
// makes the same set, step and get calls on the same FMUs. Time of the processor; the two
// alternate, and of each the fastest of several rounds counts.
//
//   overhead_benchmark Oscillator_fmi2.fmu libcheap_fmu.so

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <limits>

#include "fmi/abi/fmi2.hpp"
#include "fmi/import/fmu.hpp"
#include "run/system_run.hpp"

namespace tandem {
namespace {

namespace fs = std::filesystem;
constexpr double step_size = 1e-3;
constexpr int rounds = 7;

double cpu_seconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

void ignore_message(void*, const char*, fmi::abi2::Status, const char*, const char*, ...) {}

/// The loop that an engineer would write by hand.
class HandWritten {
public:
    HandWritten(const std::shared_ptr<fmi::Fmu>& fmu, int size) : fmu_(fmu), size_(size) {
        const fmi::ModelDescription& description = fmu->description();
        const fs::path binary = fmu->folder() / "binaries" / "linux64" /
                                (description.co_simulation->model_identifier + ".so");
        library_ = dlopen(binary.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (library_ == nullptr) throw std::runtime_error(dlerror());
        find(instantiate_, "fmi2Instantiate");
        find(set_real_, "fmi2SetReal");
        find(do_step_, "fmi2DoStep");
        find(get_real_, "fmi2GetReal");
        for (const char* name : {"x_left", "v_left", "x_right", "v_right"})
            inputs_.push_back(reference(name));
        for (const char* name : {"x", "v"}) outputs_.push_back(reference(name));
        u_.resize(inputs_.size() * static_cast<std::size_t>(size));
        y_.resize(outputs_.size() * static_cast<std::size_t>(size));
        for (int i = 0; i < size; ++i) start(i, description.instantiation_token);
    }
    ~HandWritten() {
        fmi::abi2::FreeInstance* release = nullptr;
        find(release, "fmi2FreeInstance");
        for (void* instance : instances_) release(instance);
        dlclose(library_);
    }
    HandWritten(const HandWritten&) = delete;
    HandWritten& operator=(const HandWritten&) = delete;

    double seconds(long steps) {
        const double begin = cpu_seconds();
        for (long k = 0; k < steps; ++k) step(static_cast<double>(k) * step_size);
        return cpu_seconds() - begin;
    }

private:
    template <class Function>
    void find(Function*& function, const char* name) {
        function = reinterpret_cast<Function*>(dlsym(library_, name));
    }

    unsigned reference(const std::string& name) const {
        const auto& variables = fmu_->description().variables;
        return std::ranges::find(variables, name, &fmi::Variable::name)->reference;
    }

    void start(int i, const std::string& guid) {
        static const fmi::abi2::CallbackFunctions callbacks{ignore_message, std::calloc, std::free,
                                                            nullptr, nullptr};
        const std::string name = fmt::format("o{}", i);
        void* instance = instantiate_(name.c_str(), fmi::abi2::Type::co_simulation, guid.c_str(),
                                      "", &callbacks, 0, 0);
        fmi::abi2::SetupExperiment* setup = nullptr;
        fmi::abi2::EnterInitializationMode* enter = nullptr;
        fmi::abi2::ExitInitializationMode* leave = nullptr;
        find(setup, "fmi2SetupExperiment");
        find(enter, "fmi2EnterInitializationMode");
        find(leave, "fmi2ExitInitializationMode");
        setup(instance, 0, 0.0, 0.0, 0, 0.0);
        enter(instance);
        leave(instance);
        get_real_(instance, outputs_.data(), 2, &y_[2 * static_cast<std::size_t>(i)]);
        instances_.push_back(instance);
    }

    void step(double t) {
        const auto n = static_cast<std::size_t>(size_);
        for (std::size_t i = 0; i < n; ++i) {
            const double* left = &y_[2 * (i == 0 ? n - 1 : i - 1)];
            const double* right = &y_[2 * (i + 1 == n ? 0 : i + 1)];
            double* u = &u_[4 * i];
            u[0] = left[0];
            u[1] = left[1];
            u[2] = right[0];
            u[3] = right[1];
        }
        for (std::size_t i = 0; i < n; ++i) {
            const auto bad = [&](fmi::abi2::Status status) {
                return status != fmi::abi2::Status::ok;
            };
            if (bad(set_real_(instances_[i], inputs_.data(), 4, &u_[4 * i])) ||
                bad(do_step_(instances_[i], t, step_size, 1)) ||
                bad(get_real_(instances_[i], outputs_.data(), 2, &y_[2 * i])))
                throw std::runtime_error("an FMU failed");
        }
    }

    std::shared_ptr<fmi::Fmu> fmu_;
    int size_;
    void* library_ = nullptr;
    fmi::abi2::Instantiate* instantiate_ = nullptr;
    fmi::abi2::SetReal* set_real_ = nullptr;
    fmi::abi2::DoStep* do_step_ = nullptr;
    fmi::abi2::GetReal* get_real_ = nullptr;
    std::vector<unsigned> inputs_, outputs_;
    std::vector<double> u_, y_;
    std::vector<void*> instances_;
};

description::SystemDescription ring(const fs::path& fmu, int size) {
    description::SystemDescription description;
    description::NestedSystem& system = description.system;
    system.name = "ring";
    for (int i = 0; i < size; ++i) {
        description::SubsystemDescription subsystem;
        subsystem.name = fmt::format("o{}", i);
        subsystem.source = fmu;
        subsystem.kind = description::PreferredKind::co_simulation;
        system.subsystems.push_back(subsystem);
    }
    const auto connect = [&](int from, const std::string& output, int to, const char* side) {
        description::Connection connection;
        connection.from = {fmt::format("o{}", from), output};
        connection.to = {fmt::format("o{}", to), output + side};
        system.connections.push_back(connection);
    };
    for (int i = 0; i < size; ++i)
        for (const char* name : {"x", "v"}) {
            connect((i + size - 1) % size, name, i, "_left");
            connect((i + 1) % size, name, i, "_right");
        }
    return description;
}

run::SystemRunOptions options_for(long steps) {
    run::SystemRunOptions options;
    options.stop = static_cast<double>(steps) * step_size;
    options.step = step_size;
    options.coupling = "jacobi";
    options.results = false;
    return options;
}

double tandem_seconds(const description::SystemDescription& system,
                      const run::SystemRunOptions& options) {
    run::SystemRun run(system, options);
    run.initialise();
    const double begin = cpu_seconds();
    while (run.time() < run.grid().stop()) run.step();
    const double seconds = cpu_seconds() - begin;
    run.finish();
    return seconds;
}

/// Writes the cheap FMU as an unpacked folder.
fs::path unpacked_cheap_fmu(const fs::path& library, const fs::path& folder) {
    fs::create_directories(folder / "binaries" / "linux64");
    fs::copy_file(library, folder / "binaries" / "linux64" / "cheap.so",
                  fs::copy_options::overwrite_existing);
    std::ofstream xml(folder / "modelDescription.xml");
    xml << R"(<?xml version="1.0"?>
<fmiModelDescription fmiVersion="2.0" modelName="cheap" guid="cheap">
<CoSimulation modelIdentifier="cheap" canHandleVariableCommunicationStepSize="true"/>
<ModelVariables>)";
    int reference = 0;
    for (const char* name : {"x_left", "v_left", "x_right", "v_right", "x", "v"}) {
        const bool is_input = reference < 4;
        xml << fmt::format(
            "<ScalarVariable name=\"{}\" valueReference=\"{}\" causality=\"{}\" "
            "variability=\"continuous\"><Real{}/></ScalarVariable>\n",
            name, reference++, is_input ? "input" : "output", is_input ? " start=\"0\"" : "");
    }
    xml << R"(</ModelVariables><ModelStructure><Outputs>
<Unknown index="5" dependencies=""/><Unknown index="6" dependencies=""/>
</Outputs></ModelStructure></fmiModelDescription>)";
    return folder;
}

void compare(const std::string& label, const fs::path& path, int size) {
    const long steps = std::max(20L, 1'000'000L / size);
    const auto fmu = fmi::Fmu::open(path);
    const description::SystemDescription system = ring(path, size);
    double by_hand = std::numeric_limits<double>::infinity();
    double by_tandem = by_hand;
    for (int round = 0; round < rounds; ++round) {
        by_hand = std::min(by_hand, HandWritten(fmu, size).seconds(steps));
        by_tandem = std::min(by_tandem, tandem_seconds(system, options_for(steps)));
    }
    const double scale = 1e9 / static_cast<double>(steps * size);
    fmt::print("| {} | {} | {:.0f} ns | {:.0f} ns | {:.2f} |\n", label, size, by_hand * scale,
               by_tandem * scale, by_tandem / by_hand);
}

void load(const fs::path& path, int size) {
    const description::SystemDescription system = ring(path, size);
    const double begin = cpu_seconds();
    run::SystemRun run(system, options_for(20));
    const double loaded = cpu_seconds();
    run.initialise();
    const double initialised = cpu_seconds();
    while (run.time() < run.grid().stop()) run.step();
    fmt::print("| {} | {:.2f} s | {:.2f} s | {:.2f} us |\n", size, loaded - begin,
               initialised - loaded, (cpu_seconds() - initialised) / 20.0 / size * 1e6);
}

void record(const fs::path& path, const fs::path& scratch) {
    constexpr int size = 100;
    const description::SystemDescription system = ring(path, size);
    fmt::print("\nRecording x of {} FMUs at every step, time per step of the whole system:\n\n",
               size);
    fmt::print("| results | us | ratio |\n|---|---|---|\n");
    double without = 0.0;
    for (const char* ending : {"", ".csv", ".mat", ".h5"}) {
        run::SystemRunOptions options = options_for(5000);
        options.results = *ending != '\0';
        options.record = {"*.x"};
        options.outputs = {(scratch / (std::string("ring") + ending)).string()};
        double best = std::numeric_limits<double>::infinity();
        for (int round = 0; round < 3; ++round)
            best = std::min(best, tandem_seconds(system, options));
        if (without == 0.0) without = best;
        fmt::print("| {} | {:.1f} | {:.2f} |\n", *ending == '\0' ? "none" : ending,
                   best / 5000 * 1e6, best / without);
    }
}

int main_of(const fs::path& fmu, const fs::path& cheap_library) {
    const fs::path scratch =
        fs::temp_directory_path() / fmt::format("overhead_benchmark_{}", getpid());
    const fs::path cheap = unpacked_cheap_fmu(cheap_library, scratch / "cheap");
    fmt::print("| FMU | N | by hand, per FMU step | Tandem | ratio |\n|---|---|---|---|---|\n");
    for (const int size : {2, 10, 100, 1000}) compare("oscillator of the kit", fmu, size);
    for (const int size : {2, 10, 100, 1000}) compare("cheapest C", cheap, size);
    fmt::print("\n| instances | load | initialise | step of one |\n|---|---|---|---|\n");
    load(fmu, 1000);
    load(fmu, 10000);
    record(fmu, scratch);
    fs::remove_all(scratch);
    return 0;
}

}  // namespace
}  // namespace tandem

int main(int argc, char** argv) {
    if (argc != 3) {
        fmt::print(stderr, "usage: overhead_benchmark Oscillator_fmi2.fmu libcheap_fmu.so\n");
        return 2;
    }
    return tandem::main_of(argv[1], argv[2]);
}
