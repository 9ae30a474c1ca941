#include "fmi/import/law.hpp"

#include "fmi/import/fmu.hpp"

namespace tandem::fmi {
namespace {

InputLaw::Point to_point(const TandemLawPoint& point) {
    return {point.time, {point.states, point.state_count}, {point.own, point.own_count}};
}

OfferedLaw& offered(void* context) { return *static_cast<OfferedLaw*>(context); }

}  // namespace

const TandemInputLaw* OfferedLaw::as_c(const InputLaw* law) {
    law_ = law;
    if (law == nullptr) return nullptr;
    const auto own_count = static_cast<std::uint32_t>(law->state_count());
    table_ = {TANDEM_INPUT_LAW_VERSION, own_count, this, start, evaluate, rates};
    return &table_;
}

/// Also when the FMU asks for a law that it should have dropped.
template <class Question>
int OfferedLaw::ask(const Question& question) const noexcept {
    try {
        return law_ != nullptr && question(*law_) ? 0 : 1;
    } catch (...) {
        sink_.keep(std::current_exception());
        return 1;
    }
}

int OfferedLaw::start(void* context, double* own) noexcept {
    return offered(context).ask([&](const InputLaw& law) {
        return law.start({own, law.state_count()});
    });
}

int OfferedLaw::evaluate(void* context, const TandemLawPoint* point, double* inputs) noexcept {
    const OfferedLaw& self = offered(context);
    return self.ask([&](const InputLaw& law) {
        return law.evaluate(to_point(*point), {inputs, self.input_count_});
    });
}

int OfferedLaw::rates(void* context, const TandemLawPoint* point, const double* state_rates,
                      double* own_rates) noexcept {
    return offered(context).ask([&](const InputLaw& law) {
        return law.rates(to_point(*point), {state_rates, point->state_count},
                         {own_rates, law.state_count()});
    });
}

/// FMI 1.0 has other names and a status of its own; nobody offers the extension there.
bool Fmu::takes_input_laws() {
    return description_.co_simulation && description_.version != Version::v1 &&
           static_cast<bool>(LawFunctions(library(Kind::co_simulation)));
}

}  // namespace tandem::fmi
