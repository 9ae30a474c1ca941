#include <dlfcn.h>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "files/zip.hpp"
#include "tandem/error.hpp"

/// tandem-pack: makes an FMU of the shared library of a model.
namespace {

namespace fs = std::filesystem;
using tandem::InputError;

constexpr const char* usage =
    "usage: tandem-pack <library> --fmi 1_cs|1_me|2|3 -o <file.fmu> [--resources <folder>]\n"
    "Packs the shared library of a Tandem model as an FMU.\n"
    "example: tandem-pack BouncingBall.so --fmi 2 -o BouncingBall_fmi2.fmu\n";

struct Options {
    fs::path library, output, resources;
    std::string fmi;
};

Options parse(const std::vector<std::string>& arguments) {
    Options options;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string& name = arguments[i];
        if (!name.starts_with("-")) {
            options.library = name;
            continue;
        }
        if (++i == arguments.size()) throw InputError(name, "needs a value", usage);
        if (name == "--fmi")
            options.fmi = arguments[i];
        else if (name == "-o")
            options.output = arguments[i];
        else if (name == "--resources")
            options.resources = arguments[i];
        else
            throw InputError(name, "is not an option of tandem-pack", usage);
    }
    const bool known =
        options.fmi == "1_cs" || options.fmi == "1_me" || options.fmi == "2" || options.fmi == "3";
    if (!known) throw InputError("--fmi", "must be 1_cs, 1_me, 2 or 3", usage);
    if (options.library.empty() || options.output.empty())
        throw InputError("tandem-pack", "the library or the output is missing", usage);
    return options;
}

/// modelDescription.xml, as the library itself writes it.
std::string description(const Options& options) {
    const std::string path = fs::absolute(options.library).string();
    const std::unique_ptr<void, int (*)(void*)> library(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL),
                                                        dlclose);
    if (!library) throw InputError(path, std::string("cannot be loaded: ") + dlerror());
    using Function = const char*(int, int);
    auto* ask = reinterpret_cast<Function*>(dlsym(library.get(), "tandem_model_description"));
    if (ask == nullptr)
        throw InputError(path, "is not the library of a Tandem model",
                         "build it with tandem_add_fmu");
    const char* text = ask(options.fmi[0] - '0', options.fmi == "1_me" ? 1 : 0);
    if (text == nullptr) throw InputError(path, "does not offer FMI " + options.fmi);
    return text;
}

void add_resources(const fs::path& folder, std::vector<tandem::ZipItem>& items) {
    if (folder.empty()) return;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
        if (entry.is_regular_file())
            items.push_back({"resources/" + fs::relative(entry.path(), folder).generic_string(),
                             {},
                             entry.path()});
}

/// The library must be named after the model, or importers will not find it.
void check_name(const Options& options, const std::string& xml) {
    const std::string name = options.library.stem().string();
    if (xml.find("modelIdentifier=\"" + name + "\"") == std::string::npos)
        throw InputError(options.library.string(), "holds a model of another name",
                         "use the name in TANDEM_MODEL for tandem_add_fmu too");
}

void pack(const Options& options) {
    const std::string xml = description(options);
    check_name(options, xml);
    const std::string platform = options.fmi == "3" ? "x86_64-linux" : "linux64";
    const std::string binary = options.library.stem().string() + ".so";
    std::vector<tandem::ZipItem> items;
    items.push_back({"modelDescription.xml", xml, {}});
    items.push_back({"binaries/" + platform + "/" + binary, {}, options.library, true});
    add_resources(options.resources, items);
    fs::create_directories(fs::absolute(options.output).parent_path());
    tandem::write_zip(options.output, items);
}

}  // namespace

int main(int argc, char** argv) {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    if (arguments.empty() || arguments[0] == "--help" || arguments[0] == "-h") {
        std::fputs(usage, stdout);
        return 0;
    }
    try {
        pack(parse(arguments));
        return 0;
    } catch (const std::exception& problem) {
        std::fprintf(stderr, "tandem-pack: %s\n", problem.what());
        return 2;
    }
}
