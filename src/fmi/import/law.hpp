#pragma once

#include "fmi/import/call.hpp"
#include "fmi/input_law.hpp"
#include "tandem/fmi_law.h"

namespace tandem::fmi {

/// The extension's functions of an FMU, where it has them.
struct LawFunctions {
    Function<TandemExpectInputLaw> expect;
    Function<TandemSetInputLaw> set;

    explicit LawFunctions(const Library& library)
        : expect(library, TANDEM_EXPECT_INPUT_LAW), set(library, TANDEM_SET_INPUT_LAW) {}
    explicit operator bool() const { return expect && set; }
};

/// A law as the FMU sees it. No exception gets into the FMU: the sink keeps it.
class OfferedLaw {
public:
    explicit OfferedLaw(MessageSink& sink) : sink_(sink) {}
    OfferedLaw(const OfferedLaw&) = delete;
    OfferedLaw& operator=(const OfferedLaw&) = delete;

    void expect(std::size_t input_count) { input_count_ = input_count; }
    /// Null of null; otherwise good until the next call.
    const TandemInputLaw* as_c(const InputLaw* law);

private:
    static int start(void* context, double* own) noexcept;
    static int evaluate(void* context, const TandemLawPoint* point, double* inputs) noexcept;
    static int rates(void* context, const TandemLawPoint* point, const double* state_rates,
                     double* own_rates) noexcept;
    template <class Question>
    int ask(const Question& question) const noexcept;

    MessageSink& sink_;
    const InputLaw* law_ = nullptr;
    std::size_t input_count_ = 0;
    TandemInputLaw table_{};
};

}  // namespace tandem::fmi
