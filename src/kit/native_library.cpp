#include "kit/native_library.hpp"

#include <dlfcn.h>

#include <optional>

#include "kit/native_ode.hpp"
#include "kit/step_model.hpp"
#include "process/foreign_call.hpp"
#include "process/process_guard.hpp"
#include "tandem/error.hpp"

namespace tandem::kit {

namespace {

constexpr const char* entry_name = "tandem_native_model";

void* load(const std::filesystem::path& path, const SharedBlock& place) {
    const std::string name = place.data();
    const ForeignCall mark(place.data(), "dlopen");
    const ArithmeticGuard guard(name, "dlopen");
    return dlopen(std::filesystem::absolute(path).c_str(), RTLD_NOW | RTLD_LOCAL);
}

struct Handle {
    explicit Handle(const std::filesystem::path& path)
        : place(path.c_str()), loaded(load(path, place)) {
        check_process(place.data(), "dlopen");
        if (loaded != nullptr) code.emplace(dlsym(loaded, entry_name), place.data());
    }
    ~Handle() {
        if (loaded == nullptr) return;
        code.reset();
        {
            const std::string name = place.data();
            const ForeignCall mark(place.data(), "dlclose");
            const ArithmeticGuard guard(name, "dlclose");
            dlclose(loaded);
        }
        check_process(place.data(), "dlclose");
    }
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;

    SharedBlock place;
    void* loaded;
    std::optional<ForeignCode> code;
};

}  // namespace

NativeLibrary::NativeLibrary(const std::filesystem::path& path) {
    const std::string place = path.string();
    // The loader would wait at a pipe for ever.
    std::error_code failed;
    if (!std::filesystem::is_regular_file(path, failed))
        throw InputError(place, "is not a file that can be loaded", "check the path");
    const auto handle = std::make_shared<Handle>(path);
    handle_ = handle;
    if (handle->loaded == nullptr)
        throw InputError(place, std::string("cannot be loaded: ") + dlerror());
    using Entry = const void*();
    auto* entry = reinterpret_cast<Entry*>(dlsym(handle->loaded, entry_name));
    if (entry == nullptr)
        throw InputError(place, "is not the library of a Tandem model",
                         "build it with tandem_add_fmu from a file with TANDEM_MODEL");
    {
        const ForeignCall mark(handle->place.data(), entry_name);
        class_ = static_cast<const ModelClass*>(entry());
    }
    if (class_->abi != ModelClass::current_abi)
        throw InputError(place,
                         "was built for version " + std::to_string(class_->abi) +
                             " of the native interface, this is version " +
                             std::to_string(ModelClass::current_abi),
                         "build it again");
}

std::unique_ptr<Subsystem> make_native_subsystem(const ModelClass& model_class, std::string name,
                                                 const ode::HostedOdeOptions& options) {
    if (model_class.is_step_function)
        return std::make_unique<StepModel>(model_class, std::move(name));
    return std::make_unique<ode::HostedOde>(
        std::make_unique<NativeOde>(model_class, std::move(name)), options);
}

}  // namespace tandem::kit
