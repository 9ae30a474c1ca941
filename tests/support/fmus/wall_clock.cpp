#include <chrono>
#include <tandem/model.hpp>

/// What the clock said when the output was asked for: tells from results when they were made.
class WallClock : public tandem::Model {
public:
    Output<double> now{*this, "now", 0.0, {.unit = "s", .description = "of the steady clock"}};

    void outputs() override {
        now = std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
                  .count();
    }
};

TANDEM_MODEL(WallClock, {.description = "The time that all processes share"})
