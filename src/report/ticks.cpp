#include "report/ticks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tandem/error.hpp"

namespace tandem::report {
namespace {

double step_of(double raw) {
    const double power = std::pow(10.0, std::floor(std::log10(raw)));
    for (const double factor : {1.0, 2.0, 5.0})
        if (factor * power >= 0.999 * raw) return factor * power;
    return 10.0 * power;
}

std::string label(double value, int digits) {
    const double size = std::abs(value);
    std::string text;
    if (size != 0.0 && (size >= 1e6 || size < 1e-4)) {
        text = fmt::format("{:.{}e}", value, digits - 1);
        const auto e = text.find('e');
        std::string mantissa = text.substr(0, e);
        if (mantissa.find('.') != std::string::npos) {
            mantissa.erase(mantissa.find_last_not_of('0') + 1);
            if (mantissa.back() == '.') mantissa.pop_back();
        }
        text = mantissa + "e" + std::to_string(std::stoi(text.substr(e + 1)));
    } else {
        text =
            fmt::format("{:.{}g}", value,
                        std::max(digits, 1 + static_cast<int>(std::floor(std::log10(size + 1.0)))));
    }
    for (auto minus = text.find('-'); minus != std::string::npos; minus = text.find('-'))
        text.replace(minus, 1, "−");
    return text;
}

}  // namespace

std::vector<Tick> ticks(double low, double high, double count) {
    expects(low < high, "an axis has a length");
    const double step = step_of((high - low) / std::max(1.0, count));
    const double size = std::max(std::abs(low), std::abs(high));
    const double ratio = std::floor(std::log10(size)) - std::floor(std::log10(step) + 1e-9);
    const int digits = std::clamp(static_cast<int>(ratio) + 1, 1, 12);
    std::vector<Tick> result;
    const double last = std::floor(high / step + 1e-9);
    for (double k = std::ceil(low / step - 1e-9); k <= last; k += 1.0) {
        const double value = k * step + 0.0;  // no negative zero
        result.push_back({value, label(value, digits)});
        if (k + 1.0 == k) break;  // steps below the spacing of doubles
    }
    return result;
}

Range padded(double low, double high) {
    const double size = std::max(std::abs(low), std::abs(high));
    if (high - low <= 1e-12 * size || high == low) {
        const double pad = size > 0.0 ? 0.1 * size : 1.0;
        return {low - pad, high + pad};
    }
    const double pad = 0.06 * (high - low);
    return {low - pad, high + pad};
}

}  // namespace tandem::report
