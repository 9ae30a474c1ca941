// What a row of results costs: the recorder with up to 1000 connected outputs of as many
// subsystems; time of the processor, of all threads. The measure is an FMU step of a microsecond:
// 100 of them take 100 us.

#include <benchmark/benchmark.h>
#include <unistd.h>

#include <array>
#include <filesystem>

#include "results/recorder.hpp"

namespace tandem::run {
namespace {

constexpr std::array formats = {".csv", ".mat", ".h5"};
constexpr long rows_per_file = 100'000;  // then a new file, so that the disk stays small

class ScratchFile {
public:
    explicit ScratchFile(const char* extension)
        : path_(std::filesystem::temp_directory_path() /
                ("recording_benchmark_" + std::to_string(getpid()) + extension)) {}
    ~ScratchFile() { std::filesystem::remove(path_); }
    ScratchFile(const ScratchFile&) = delete;
    ScratchFile& operator=(const ScratchFile&) = delete;
    std::string path() const { return path_.string(); }

private:
    std::filesystem::path path_;
};

/// One output, which lies in the arrays of the system.
class OneOutput final : public Subsystem, public Variables {
public:
    explicit OneOutput(std::string name) : name_(std::move(name)) {
        VariableInfo info;
        info.name = "y";
        info.is_output = true;
        list_.push_back(info);
        interface_.outputs.push_back({"y", "", 1.0});
    }
    const std::string& name() const override { return name_; }
    const Interface& interface() const override { return interface_; }
    Variables& variables() override { return *this; }
    void enter_initialisation(const Experiment&) override {}
    void exit_initialisation() override {}
    void finish() override {}
    void set_inputs(const InputCourse&) override {}
    StepResult step(Interval interval) override { return {Outcome::complete, interval.end}; }
    void get_outputs(std::span<double>) override {}
    const std::vector<VariableInfo>& list() const override { return list_; }
    VariableGroup group(std::span<const std::size_t>) const override { return {}; }
    void read(const VariableGroup&, Values&) override {}
    void write(const VariableGroup&, const Values&) override {}

private:
    std::string name_;
    Interface interface_;
    std::vector<VariableInfo> list_;
};

std::unique_ptr<System> make_system(long subsystems) {
    std::vector<std::unique_ptr<Subsystem>> all;
    for (long s = 0; s < subsystems; ++s)
        all.push_back(std::make_unique<OneOutput>("s" + std::to_string(s)));
    return std::make_unique<System>(std::move(all), std::vector<Link>{});
}

/// Range: the format and the number of subsystems with one recorded output each.
void record_row(benchmark::State& state) {
    const ScratchFile file(formats[static_cast<std::size_t>(state.range(0))]);
    const auto system = make_system(state.range(1));
    std::unique_ptr<results::Recorder> recorder;
    long k = 0;
    for (auto _ : state) {
        if (k % rows_per_file == 0) {
            state.PauseTiming();
            recorder.reset();
            std::vector<std::unique_ptr<results::ResultWriter>> writers;
            writers.push_back(results::make_result_writer(file.path()));
            recorder = std::make_unique<results::Recorder>(
                results::record_sources(*system, members_alone(*system)), results::RecordOptions{},
                std::move(writers));
            state.ResumeTiming();
        }
        const auto t = 1e-3 * static_cast<double>(k++);
        double angle = t;
        for (double& value : system->outputs()) value = (angle += 0.37) * 0.3183098861837907;
        recorder->record(t);
    }
    state.SetLabel(formats[static_cast<std::size_t>(state.range(0))]);
    state.SetItemsProcessed(state.iterations() * state.range(1));
}
BENCHMARK(record_row)->ArgsProduct({{0, 1, 2}, {10, 100, 1000}})->MeasureProcessCPUTime();

}  // namespace
}  // namespace tandem::run
