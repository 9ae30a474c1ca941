#include "fmi/import_call.hpp"

namespace tandem::fmi {

Status translate(int raw, Version version) {
    const int last = static_cast<int>(version == Version::v3 ? Status::fatal : Status::pending);
    return raw < 0 || raw > last ? Status::error : static_cast<Status>(raw);
}

Caller::Caller(Library& library, const ModelDescription& description,
               const InstanceOptions& options)
    : library_(library),
      name_(options.name),
      version_(description.version),
      sink_(std::make_shared<MessageSink>(description, options)),
      registration_(sink_.get(), sink_),
      on_call_(options.on_call) {}

void Caller::check_callable(const char* function, bool present) const {
    if (fatal_)
        throw FmuError(name_, function ? function : "the FMU",
                       "is not called any more because the FMU has failed fatally");
    if (present) return;
    if (!function)
        throw InputError(library_.place(),
                         fmt::format("FMI {} has no function for this", to_string(version_)),
                         "export the FMU in a newer version of FMI");
    throw InputError(library_.place(), std::string("the FMU lacks the function ") + function,
                     "choose options that do not need it, or export the FMU again");
}

void Caller::note(const char* function, Status status) {
    last_function_ = function;
    if (status == Status::error || status == Status::fatal) failed_ = true;
    if (status != Status::fatal) return;
    fatal_ = true;
    library_.leave_loaded();
}

void Caller::require(Status status) const {
    if (status == Status::ok || status == Status::warning) return;
    throw failure(last_function_, fmt::format("answered {}", to_string(status)));
}

FmuError Caller::failure(const char* function, const std::string& problem) const {
    return FmuError(name_, function, problem, sink_->recent());
}

}  // namespace tandem::fmi
