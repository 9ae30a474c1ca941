#include "kit/law_course.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "kit/elements.hpp"

namespace tandem::kit {

void LawCourse::expect(ExpectedLaw expected) {
    law_ = nullptr;
    expected_ = std::move(expected);
    std::size_t size = 0;
    for (const Slot& slot : expected_.inputs) size += slot.count;
    inputs_.resize(size);
}

void LawCourse::follow(const fmi::InputLaw* law, std::span<double> x) {
    law_ = nullptr;
    if (law == nullptr) return;
    if (law->state_count() > room())
        throw std::invalid_argument("the law has more states than were announced");
    const auto own = x.subspan(engine_.state_count());
    std::ranges::fill(own, 0.0);
    if (law->state_count() > 0 && !law->start(own.first(law->state_count())))
        refuse(engine_.time());
    law_ = law;
}

fmi::InputLaw::Point LawCourse::point(double t, std::span<const double> x) const {
    const std::size_t n = engine_.state_count();
    return {t, x.first(n), x.subspan(n, law_->state_count())};
}

void LawCourse::apply(double t, std::span<const double> x) {
    if (law_ == nullptr) return;
    if (!law_->evaluate(point(t, x), inputs_)) refuse(t);
    const double* next = inputs_.data();
    for (const Slot& slot : expected_.inputs)
        for (std::size_t k = 0; k < slot.count; ++k)
            write_real(engine_.records()[slot.record], slot.first + k, *next++);
}

void LawCourse::add_rates(double t, std::span<const double> x, std::span<double> dx) const {
    const std::size_t n = engine_.state_count();
    std::ranges::fill(dx.subspan(n), 0.0);
    if (law_ == nullptr || law_->state_count() == 0) return;
    if (!law_->rates(point(t, x), dx.first(n), dx.subspan(n, law_->state_count()))) refuse(t);
}

void LawCourse::refuse(double t) {
    throw Discard("the law of the inputs cannot be evaluated at t = " + std::to_string(t));
}

}  // namespace tandem::kit
