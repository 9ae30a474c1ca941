// A valid FMU changed at random (with fixed seeds): whatever comes out, opening it either works or
// throws InputError, and what still opens runs or fails with a sentence. Crashes, leaks and
// undefined behaviour show under the sanitizers.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <random>

#include "base/log.hpp"
#include "files/archive.hpp"
#include "files/temporary_folder.hpp"
#include "files/zip.hpp"
#include "fmi/description/parse.hpp"
#include "fmi/import/fmu.hpp"
#include "ode/host/hosted_ode.hpp"
#include "subsystem/cs_fmu.hpp"
#include "subsystem/fmu_ode.hpp"
#include "support/descriptions.hpp"
#include "support/zip_surgery.hpp"

namespace tandem::test {
namespace {

namespace fs = std::filesystem;

class Mutator {
public:
    explicit Mutator(unsigned seed) : random_(seed) {}

    std::size_t below(std::size_t limit) {
        return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random_);
    }

    /// Up to eight bytes set, inserted or removed.
    std::string change_bytes(std::string bytes) {
        for (std::size_t i = 0, count = 1 + below(8); i < count && !bytes.empty(); ++i) {
            const std::size_t at = below(bytes.size());
            const char byte = static_cast<char>(below(256));
            switch (below(4)) {
                case 0: bytes[at] = byte; break;
                case 1: bytes.insert(at, 1, byte); break;
                case 2: bytes.erase(at, 1 + below(16)); break;
                default: bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8))); break;
            }
        }
        return bytes;
    }

    /// Some attribute gets a value made for trouble, or that of another one.
    std::string change_attribute(std::string xml) {
        constexpr std::array<const char*, 24> values = {"",
                                                        "0",
                                                        "-1",
                                                        "1e999",
                                                        "NaN",
                                                        "INF",
                                                        "4294967295",
                                                        "4294967296",
                                                        "18446744073709551615",
                                                        "9223372036854775807",
                                                        "true",
                                                        "1 2 3 4 5",
                                                        "  ",
                                                        "x",
                                                        "&#1;",
                                                        "&lt;",
                                                        "der(x)",
                                                        "input",
                                                        "output",
                                                        "independent",
                                                        "structuralParameter",
                                                        "2147483648",
                                                        "0x10",
                                                        "99999999999999999999999"};
        const auto [begin, end] = some_value(xml);
        const auto [other, other_end] = some_value(xml);
        const std::string value =
            below(3) == 0 ? xml.substr(other, other_end - other) : values[below(values.size())];
        return xml.replace(begin, end - begin, value);
    }

    /// A line is removed, doubled, or moved elsewhere.
    std::string change_lines(std::string xml) {
        const auto [begin, end] = some_line(xml);
        const std::string line = xml.substr(begin, end - begin);
        const std::size_t choice = below(3);
        if (choice != 1) xml.erase(begin, end - begin);
        if (choice != 0) xml.insert(some_line(xml).first, line);
        return xml;
    }

    std::string change_xml(std::string xml) {
        for (std::size_t i = 0, count = 1 + below(3); i < count; ++i) {
            switch (below(6)) {
                case 0: xml = change_bytes(std::move(xml)); break;
                case 1: xml = change_lines(std::move(xml)); break;
                default: xml = change_attribute(std::move(xml)); break;
            }
        }
        return xml;
    }

private:
    std::pair<std::size_t, std::size_t> some_value(const std::string& xml) {
        const auto open = xml.find("=\"", below(xml.size()));
        if (open == std::string::npos) return {0, 0};
        const auto close = xml.find('"', open + 2);
        if (close == std::string::npos) return {0, 0};
        return {open + 2, close};
    }

    std::pair<std::size_t, std::size_t> some_line(const std::string& xml) {
        const auto before = xml.rfind('\n', below(xml.size()));
        const std::size_t begin = before == std::string::npos ? 0 : before + 1;
        const auto after = xml.find('\n', begin);
        return {begin, after == std::string::npos ? xml.size() : after + 1};
    }

    std::mt19937 random_;
};

const std::array<std::string, 3> seeds = {fmi1_description, fmi2_description, fmi3_description};

/// Whether it could be read. Any other exception ends the test.
bool is_readable(const std::string& xml) {
    Diagnostics findings;
    try {
        const fmi::ModelDescription model = fmi::parse_model_description(xml, "x.xml", findings);
        for (const fmi::Variable& variable : model.variables)
            if (variable.start && !variable.dimensions.empty()) {
                EXPECT_EQ(variable.start->size(variable.type), variable.size());
            }
        for (const fmi::Unknown& output : model.structure.outputs)
            EXPECT_LT(output.variable, model.variables.size());
        return true;
    } catch (const InputError&) {
        return false;
    }
}

bool can_be_unpacked(const fs::path& path) {
    try {
        fmi::Fmu::open(path)->folder();
        return true;
    } catch (const InputError&) {
        return false;
    }
}

TEST(Mutation, of_the_description_is_read_or_refused) {
    Mutator mutate(20260131);
    int readable = 0;
    for (int i = 0; i < 1500; ++i)
        readable += is_readable(mutate.change_xml(seeds[static_cast<std::size_t>(i) % 3])) ? 1 : 0;
    // Both outcomes must be common, or the mutations are too gentle or too rough to find anything.
    EXPECT_GT(readable, 150);
    EXPECT_LT(readable, 1350);
}

TEST(Mutation, of_the_archive_is_unpacked_or_refused) {
    const TemporaryFolder folder;
    const fs::path path = folder.path() / "x.fmu";
    write_zip(path, {{"modelDescription.xml", fmi2_description, {}},
                     {"resources/table.csv", "1,2,3\n", {}},
                     {"documentation/index.html", "<html></html>", {}}});
    const std::string valid = read_bytes(path);
    Mutator mutate(4711);
    int usable = 0;
    for (int i = 0; i < 600; ++i) {
        write_bytes(path, mutate.change_bytes(valid));
        usable += can_be_unpacked(path) ? 1 : 0;
    }
    EXPECT_GT(usable, 10);
    EXPECT_LT(usable, 590);
}

/// How a child process ended. None is 0 or 1, which others use for their own purposes.
enum Ending : int { ran = 40, refused = 41, surprised = 42 };

std::unique_ptr<Subsystem> make_subsystem(const fs::path& path, bool hosted) {
    const std::shared_ptr<fmi::Fmu> fmu = fmi::Fmu::open(path);
    fmi::InstanceOptions instance;
    instance.name = "mutant";
    instance.on_message = [](fmi::Status, const std::string&, const std::string&) {};
    if (hosted)
        return std::make_unique<ode::HostedOde>(std::make_unique<subsystem::FmuOde>(fmu, instance),
                                                ode::HostedOdeOptions{});
    subsystem::CsFmuOptions options;
    options.instance = instance;
    return std::make_unique<subsystem::CsFmu>(fmu, options);
}

void run_a_little(const fs::path& path, bool hosted) {
    const auto subsystem = make_subsystem(path, hosted);
    subsystem->enter_initialisation({0.0, 1.0, {}});
    subsystem->exit_initialisation();
    std::vector<double> outputs(subsystem->interface().outputs.size());
    const std::vector<double> inputs(subsystem->interface().inputs.size(), 0.5);
    for (int k = 0; k < 4; ++k) {
        subsystem->set_inputs({inputs});
        subsystem->step({0.25 * k, 0.25 * (k + 1)});
        subsystem->get_outputs(outputs);
    }
    subsystem->finish();
}

void limit_process() {
    const rlimit seconds{5, 5}, no_core{0, 0};
    setrlimit(RLIMIT_CPU, &seconds);
    setrlimit(RLIMIT_CORE, &no_core);
#ifndef __SANITIZE_ADDRESS__  // which reserves far more than it uses
    const rlimit memory{rlim_t{2} << 30U, rlim_t{2} << 30U};
    setrlimit(RLIMIT_AS, &memory);
#endif
    alarm(5);
}

[[noreturn]] void be_the_child(const fs::path& path, bool hosted) {
    limit_process();
    set_log_level(LogLevel::off);
    int ending = ran;
    try {
        run_a_little(path, hosted);
    } catch (const InputError&) {
        ending = refused;
    } catch (const FmuError&) {
        ending = refused;
    } catch (const NumericsError&) {
        ending = refused;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        ending = surprised;
    }
    _exit(ending);
}

/// The status that waitpid gives for a run in a process of its own.
int status_of_run(const fs::path& path, bool hosted) {
    const pid_t child = fork();
    if (child == 0) be_the_child(path, hosted);
    int status = 0;
    waitpid(child, &status, 0);
    return status;
}

TEST(Mutation, of_the_description_of_a_real_fmu_runs_or_is_refused) {
    Mutator mutate(31415);
    int ran_count = 0, refused_count = 0;
    for (const char* file : {"Dahlquist_fmi2.fmu", "Dahlquist_fmi3.fmu"}) {
        const TemporaryFolder folder;
        Archive(fs::path(TANDEM_FMU_DIR) / file).unpack(folder.path());
        const fs::path description = folder.path() / "modelDescription.xml";
        const std::string valid = read_bytes(description);
        ASSERT_EQ(WEXITSTATUS(status_of_run(folder.path(), false)), ran) << file;
        ASSERT_EQ(WEXITSTATUS(status_of_run(folder.path(), true)), ran) << file;
        for (int i = 0; i < 120; ++i) {
            const std::string mutant =
                i % 4 == 0 ? mutate.change_bytes(valid) : mutate.change_attribute(valid);
            write_bytes(description, mutant);
            for (const bool hosted : {false, true}) {
                const int status = status_of_run(folder.path(), hosted);
                const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
                EXPECT_TRUE(code == ran || code == refused)
                    << file << (hosted ? " hosted" : "") << " ended with " << code << ":\n"
                    << mutant;
                ran_count += code == ran ? 1 : 0;
                refused_count += code == refused ? 1 : 0;
            }
        }
    }
    // Both outcomes must be common, or the mutations find nothing.
    EXPECT_GT(ran_count, 50);
    EXPECT_GT(refused_count, 50);
}

}  // namespace
}  // namespace tandem::test
