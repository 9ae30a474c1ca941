#include <csignal>
#include <limits>
#include <stdexcept>
#include <tandem/model.hpp>

enum class Fault { none = 1, discard, error, fatal, not_a_number, crash, hang, end };

/// Behaves well until its time has come.
class IllBehaved : public tandem::Model {
public:
    const tandem::Attributes faults{.description = "what happens at the time `at`",
                                    .enumeration = "Fault",
                                    .literals = {{"none", 1, "nothing"},
                                                 {"discard", 2, "the point cannot be evaluated"},
                                                 {"error", 3, "an exception"},
                                                 {"fatal", 4, "a fatal error"},
                                                 {"not_a_number", 5, "the derivative is NaN"},
                                                 {"crash", 6, "SIGSEGV"},
                                                 {"hang", 7, "an endless loop"},
                                                 {"end", 8, "asks for the end"}}};
    Parameter<Fault> fault{*this, "fault", Fault::none, faults};
    Parameter<double> at{*this, "at", 0.5, {.unit = "s", .description = "time of the fault"}};
    State x{*this, "x", 0.0, {.description = "grows with time", .output = true}};

    void derivatives() override {
        x.der = 1.0;
        if (time() >= at) misbehave();
    }
    void after_step() override {
        if (fault == Fault::end && time() >= at) end_simulation("the end was asked for");
    }

private:
    void misbehave() {
        switch (fault.value()) {
            case Fault::none:
            case Fault::end: return;
            case Fault::discard: discard("discarded on purpose");
            case Fault::error: throw std::runtime_error("failed on purpose");
            case Fault::fatal: fatal("fatal on purpose");
            case Fault::not_a_number: x.der = std::numeric_limits<double>::quiet_NaN(); return;
            case Fault::crash: std::raise(SIGSEGV); return;
            case Fault::hang: hang();
        }
    }
    [[noreturn]] static void hang() {
        volatile bool forever = true;
        while (forever) {
        }
        throw std::logic_error("forever has ended");
    }
};

TANDEM_MODEL(IllBehaved, {.description = "Fails in a chosen way at a chosen time",
                          .stop = 1.0,
                          .step_size = 0.1})
