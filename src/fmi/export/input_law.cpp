#include "fmi/export/shell.hpp"

/// The functions of include/tandem/fmi_law.h, for FMI 2.0 and 3.0 alike.
namespace tandem::fmi::exporting {
namespace {

TandemLawPoint to_c(const InputLaw::Point& point) {
    return {point.t, point.states.data(), point.states.size(), point.own.data(), point.own.size()};
}

constexpr Modes between_steps = Mode::step | Mode::event;

}  // namespace

ForeignLaw::ForeignLaw(const TandemInputLaw& law) : law_(law) {
    if (law.version < 1) throw Misuse("the law has no version");
    const bool has_states = law.own_count > 0;
    if (law.evaluate == nullptr || (has_states && (law.start == nullptr || law.rates == nullptr)))
        throw Misuse("the law lacks a function");
}

bool ForeignLaw::start(std::span<double> own) const {
    return law_.start(law_.context, own.data()) == 0;
}

bool ForeignLaw::evaluate(const Point& point, std::span<double> inputs) const {
    const TandemLawPoint here = to_c(point);
    return law_.evaluate(law_.context, &here, inputs.data()) == 0;
}

bool ForeignLaw::rates(const Point& point, std::span<const double> state_rates,
                       std::span<double> own_rates) const {
    const TandemLawPoint here = to_c(point);
    return law_.rates(law_.context, &here, state_rates.data(), own_rates.data()) == 0;
}

}  // namespace tandem::fmi::exporting

namespace ex = tandem::fmi::exporting;

TANDEM_EXPORT int tandem_expect_input_law(void* instance, const std::uint32_t* inputs,
                                          std::size_t input_count, const double* own_nominals,
                                          std::size_t own_count) {
    const auto expect = [&](ex::Shell& shell) {
        shell.instance->expect_input_law(ex::list(inputs, input_count),
                                         ex::list(own_nominals, own_count));
    };
    return static_cast<int>(ex::call(instance, TANDEM_EXPECT_INPUT_LAW, ex::between_steps, expect));
}

TANDEM_EXPORT int tandem_set_input_law(void* instance, const TandemInputLaw* law) {
    const auto set = [&](ex::Shell& shell) {
        shell.instance->set_input_law(nullptr);
        if (law == nullptr) return;
        shell.law = ex::ForeignLaw(*law);
        shell.instance->set_input_law(&shell.law);
    };
    return static_cast<int>(ex::call(instance, TANDEM_SET_INPUT_LAW, ex::between_steps, set));
}

static_assert(std::is_same_v<decltype(tandem_expect_input_law), TandemExpectInputLaw>);
static_assert(std::is_same_v<decltype(tandem_set_input_law), TandemSetInputLaw>);
