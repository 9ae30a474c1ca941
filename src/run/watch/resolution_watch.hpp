#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "run/watch/watched_connections.hpp"
#include "tandem/error.hpp"

namespace tandem::run {

/// Finds connected signals that the communication step does not resolve. A coupling of order p
/// misses about the backward difference D^p y of a signal in each step: held inputs (p = 1) miss
/// its change, inputs along a straight line (p = 2) its curvature. The mean over the run is
/// compared with the standard deviation of the signal. Steps end where tables jump or bend, and at
/// events: only what happens between counts. The first
/// steps are looked at, and a sample of the others.
class ResolutionWatch {
public:
    /// After Coupling::prepare().
    explicit ResolutionWatch(const assemble::Assembly& assembly);

    /// After each step, of that length, which ended at t. Does not allocate.
    void after_step(double t, double length) {
        time_ += length;
        if (++step_ >= next_) look(t, length);
    }
    /// The step was cut at an event of subsystem s: nobody misses what its outputs did there.
    void jumped(int s);
    /// A truth value or an enumeration had changed at the end of a step that met no event.
    void switched(const TypedLinks::Switched& value, double length) {
        if (untold_switches_++ == 0) switched_ = value;
        late_ += length;
    }
    /// What is said at the end of the run of the signal that is resolved least.
    std::optional<Diagnostic> warning() const;

private:
    static constexpr int most_differences = 3;
    /// What is known of the values of a signal, and of what inputs miss of it.
    struct Moments {
        long values = 0, misses = 0;
        double mean = 0.0, squares = 0.0;  // of values; of deviations from it, their sum
        double largest = 0.0;              // size of a value
        double missed = 0.0;               // sum of sizes
        void add(double y);
        void add_missed(double size);
        void forget_misses() {
            misses = 0;
            missed = 0.0;
        }
        /// By the standard deviation; 0: it does not vary, or too little is known.
        double missed_part(double least_deviation) const;
    };
    struct Signal {
        WatchedConnection connection = {};
        double least_deviation = 0.0;                        // that matters
        std::array<double, most_differences + 1> last = {};  // value and differences
        int known = 0;  // values in a row at equal distances and without a jump
        Moments moments = {};
        double missed_part() const { return moments.missed_part(least_deviation); }
    };
    /// A function of time alone.
    struct Source {
        const FunctionLink* function = nullptr;
        double least_deviation = 0.0;
        Moments moments = {};
        double missed_part() const { return moments.missed_part(least_deviation); }
    };
    struct Table {
        const assemble::TableSource* table = nullptr;
        WatchedConnection connection = {};
        int column = 0;
        double least_deviation = 0.0;
        Moments moments = {};
        double missed_part() const { return moments.missed_part(least_deviation); }
        double value(double t) const { return table->value_at(column, t, assemble::Side::before); }
    };
    static int order_of(const coupling::Coupling& coupling);
    void take_order(int order);
    void watch_functions();
    void watch_tables();
    void look(double t, double length);
    void take(Signal& signal, double y) const;
    void take(Source& source, Interval step) const;
    void take(Table& table, Interval step) const;
    double end_of_line(const Table& table, Interval piece, Interval step) const;
    std::optional<Diagnostic> warning_of_switches() const;
    Diagnostic warning(const std::string& name, double missed_part, const std::string& hint) const;

    const assemble::Assembly& assembly_;
    std::vector<Signal> signals_;
    std::vector<Source> sources_;
    std::vector<Table> tables_;
    int order_;                       // p
    double part_ = 1.0;               // of D^p y that is missed
    bool looks_ahead_;                // inputs inside a step follow from outputs at its end
    double length_ = 0.0;             // of the last step that was looked at
    double time_ = 0.0, late_ = 0.0;  // of all steps, and of those with switches
    long untold_switches_ = 0;
    TypedLinks::Switched switched_;  // the first of them
    int in_look_ = 0;
    long step_ = 0, next_ = 0;
};

}  // namespace tandem::run
