#include <tandem/model.hpp>

#include <string>

enum class Gear { low = 1, middle = 2, high = 3 };

/// A sampled PI controller, and one value of every other type that is sampled with it: for tests of
/// when discrete values arrive.
class SampledUnit : public tandem::Model {
public:
    const tandem::Attributes gears{
        .enumeration = "Gear", .literals = {{"low", 1, ""}, {"middle", 2, ""}, {"high", 3, ""}}};
    const tandem::Attributes gears_out{
        .output = true,
        .enumeration = "Gear",
        .literals = {{"low", 1, ""}, {"middle", 2, ""}, {"high", 3, ""}}};

    Parameter<double> period{*this, "period", 0.1, {.unit = "s", .min = 1e-6}};
    Parameter<double> kp{*this, "kp", 1.0, {.description = "gain"}};
    Parameter<double> ki{*this, "ki", 0.0, {.unit = "1/s", .description = "integral gain"}};
    Parameter<double> reference{*this, "reference", 0.0, {.description = "what y shall be"}};
    Input<double> y{*this, "y", 0.0, {.description = "what is controlled", .discrete = true}};
    Input<int> count_in{*this, "count_in", 0};
    Input<bool> flag_in{*this, "flag_in", false};
    Input<std::string> text_in{*this, "text_in", "none"};
    Input<Gear> gear_in{*this, "gear_in", Gear::low, gears};
    Discrete<double> u{*this, "u", 0.0, {.description = "command", .output = true}};
    Discrete<double> integral{*this, "integral", 0.0, {.description = "of the error, times ki"}};
    Discrete<int> count{*this, "count", 0, {.description = "count_in + 1", .output = true}};
    Discrete<bool> flag{*this, "flag", false, {.description = "not flag_in", .output = true}};
    Discrete<std::string> text{*this, "text", "none", {.output = true}};
    Discrete<Gear> gear{*this, "gear", Gear::low, gears_out};
    Discrete<double> samples{*this, "samples", 0.0, {.description = "so far"}};

    void initialise() override {
        samples = 0.0;
        next_event(time());
    }
    void event() override {
        if (!time_event()) return;
        integral += ki * period * (reference - y);
        u = kp * (reference - y) + integral;
        count = count_in + 1;
        flag = !flag_in;
        text = text_in.value() + "+";
        gear = gear_in.value();
        samples += 1.0;
        next_event(samples * period);
    }
};

TANDEM_MODEL(SampledUnit, {.description = "A sampled controller", .stop = 2.0, .step_size = 0.1})
