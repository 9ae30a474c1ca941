#include "kit/native_library.hpp"

#include <dlfcn.h>

#include "base/error.hpp"
#include "base/foreign_call.hpp"
#include "base/process_guard.hpp"
#include "kit/native_ode.hpp"
#include "kit/step_model.hpp"

namespace tandem::kit {

NativeLibrary::NativeLibrary(const std::filesystem::path& path) {
    const std::string place = path.string();
    // The loader would wait at a pipe for ever.
    std::error_code failed;
    if (!std::filesystem::is_regular_file(path, failed))
        throw InputError(place, "is not a file that can be loaded", "check the path");
    const auto load = [&path, &place] {
        const ArithmeticGuard guard(place, "dlopen");
        return dlopen(std::filesystem::absolute(path).c_str(), RTLD_NOW | RTLD_LOCAL);
    };
    void* loaded = load();
    const void* known = loaded != nullptr ? dlsym(loaded, "tandem_native_model") : nullptr;
    auto code = std::make_shared<ForeignCode>(known, place.c_str());
    handle_.reset(loaded, [code](void* handle) {
        if (handle != nullptr) dlclose(handle);
    });
    if (!handle_) throw InputError(place, std::string("cannot be loaded: ") + dlerror());
    using Entry = const void*();
    auto* entry = reinterpret_cast<Entry*>(dlsym(handle_.get(), "tandem_native_model"));
    if (entry == nullptr)
        throw InputError(place, "is not the library of a Tandem model",
                         "build it with tandem_add_fmu from a file with TANDEM_MODEL");
    class_ = static_cast<const ModelClass*>(entry());
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
