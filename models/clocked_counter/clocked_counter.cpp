#include <tandem/model.hpp>

/// Counts the ticks of a clock, and ticks itself at every tenth.
class ClockedCounter : public tandem::Model {
public:
    Clock tick{*this, "tick", {.interval = 0.1, .description = "what is counted"}};
    Clock carry{*this, "carry", {.output = true, .description = "ticks at every tenth tick"}};
    Discrete<int> count{*this, "count", 0, {.description = "ticks so far", .output = true}};
    Discrete<int> tens{*this, "tens", 0, {.description = "carries so far", .output = true}};

    void event() override {
        if (!tick) return;
        ++count;
        if (count % 10 != 0) return;
        ++tens;
        carry = true;
    }
};

TANDEM_MODEL(ClockedCounter,
             {.description = "Counts the ticks of a clock", .stop = 3.0, .step_size = 0.05})
