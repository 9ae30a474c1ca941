#include "fmi/import/call.hpp"

namespace tandem::fmi {

Caller::Caller(Library& library, const ModelDescription& description,
               const InstanceOptions& options)
    : library_(library),
      name_(options.name),
      shared_name_(name_.c_str()),
      version_(description.version),
      sink_(std::make_shared<MessageSink>(description, options)),
      registration_(sink_.get(), sink_),
      on_call_(options.on_call) {}

void Caller::refuse(const char* function) const {
    if (fatal_)
        throw FmuError(name_, function ? function : "the FMU",
                       "is not called any more because the FMU has failed fatally");
    if (!function)
        throw InputError(library_.place(),
                         fmt::format("FMI {} has no function for this", to_string(version_)),
                         "export the FMU in a newer version of FMI");
    throw InputError(library_.place(), std::string("the FMU lacks the function ") + function,
                     "choose options that do not need it, or export the FMU again");
}

void Caller::note_failure(Status status) {
    failed_ = true;
    if (status != Status::fatal) return;
    fatal_ = true;
    library_.leave_loaded();
}

void Caller::fail(Status status) const {
    throw failure(last_function_, fmt::format("answered {}", to_string(status)));
}

FmuError Caller::failure(const char* function, const std::string& problem) const {
    return FmuError(name_, function, problem, sink_->recent());
}

}  // namespace tandem::fmi
