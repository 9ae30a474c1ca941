#include <tandem/model.hpp>

/// Counts periods by time events, and shows nothing that is discrete: for tests of when its output
/// is seen.
class HiddenStair : public tandem::Model {
public:
    Parameter<double> period{*this, "period", 0.1, {.unit = "s", .min = 1e-6}};
    Output<double> y{*this, "y", 0.0, {.description = "periods so far"}};

    void initialise() override {
        count_ = 0.0;
        next_event(period);
    }
    void event() override {
        if (!time_event()) return;
        count_ += 1.0;
        next_event((count_ + 1.0) * period);
    }
    void outputs() override { y = count_; }

private:
    double count_ = 0.0;
};

TANDEM_MODEL(HiddenStair,
             {.description = "A stair behind an output", .stop = 2.0, .step_size = 0.1})
