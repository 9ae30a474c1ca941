#include "foreign_targets.hpp"

#include <fcntl.h>
#include <unistd.h>

#include "description/read/toml_text.hpp"
#include "files/temporary_folder.hpp"
#include "foreign/read.hpp"
#include "foreign/write.hpp"
#include "tandem/error.hpp"

namespace tandem::fuzz {
namespace {

/// Knows one FMU, whatever the file.
foreign::ModelFacts model(const std::filesystem::path& file) {
    if (file.filename() == "none.fmu") throw InputError(file.string(), "is not there");
    foreign::ModelFacts facts;
    facts.name = "Model";
    facts.variables["y"].is_output = true;
    facts.variables["u"].is_input = true;
    facts.variables["k"].unit = "m";
    facts.variables["n"].type = ValueType::int32;
    facts.variables["b"].type = ValueType::boolean;
    return facts;
}

class TextFile {
public:
    explicit TextFile(const char* name)
        : path_(folder_.path() / name),
          descriptor_(::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600)) {}
    ~TextFile() { ::close(descriptor_); }
    TextFile(const TextFile&) = delete;
    TextFile& operator=(const TextFile&) = delete;

    void read(std::string_view text) const {
        const bool is_written =
            ::ftruncate(descriptor_, 0) == 0 &&
            ::pwrite(descriptor_, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size());
        expects(is_written, "the text is in the file");
        const foreign::System system = foreign::read_system({path_, {}}, model);
        try {
            description::parse_toml(foreign::system_file_text(system, folder_.path()),
                                    {"s.toml", 1});
        } catch (const InputError& error) {
            throw ContractViolation(std::string("what is written is TOML: ") + error.what());
        }
    }

private:
    TemporaryFolder folder_;
    std::filesystem::path path_;
    int descriptor_;
};

}  // namespace

void read_osp_text(std::string_view text) {
    static const TextFile file("s.xml");
    file.read(text);
}

void read_master_sim_text(std::string_view text) {
    static const TextFile file("s.msim");
    file.read(text);
}

void read_maestro_text(std::string_view text) {
    static const TextFile file("s.json");
    file.read(text);
}

}  // namespace tandem::fuzz
