#pragma once

#include <vector>

#include "assemble/load/input_table.hpp"
#include "core/kinked.hpp"
#include "tandem/extend/subsystem.hpp"

namespace tandem::assemble {

/// The real inputs of a subsystem as functions of time, between two jumps of the table.
class TableLaw final : public Law, public Kinked {
public:
    struct Entry {
        std::size_t column = 0;
        std::size_t port = 0;
    };
    void evaluate(const LawPoint& point, std::span<double> inputs) const override;
    double next_kink(double t) const override { return table->next_kink(t); }

    const InputTable* table = nullptr;
    std::vector<Entry> entries;
    std::vector<double> base;  ///< the value of every input that is not in the table
    double begin = 0.0;        ///< here the values after a jump hold
    double end = 0.0;          ///< here the values before a jump hold
};

/// Gives a subsystem the inputs of a table in the best way it takes them: as a law, with slopes, or
/// held over each interval. Everything that is not a real port is written when it changes.
class InputFeeder {
public:
    InputFeeder(Subsystem& subsystem, const InputTable* table);
    InputFeeder(const InputFeeder&) = delete;
    InputFeeder& operator=(const InputFeeder&) = delete;

    /// In initialisation: remembers the start values of the inputs and sets those at `t`.
    void initialise(double t);
    /// The values at `t` alone, for reading outputs.
    void hold(double t, Side side);
    /// What the inputs do from interval.begin, the time reached, to interval.end.
    void set_course(Interval interval);
    /// The next jump after `t` that the subsystem can be told of in time.
    std::optional<double> next_jump(double t) const;
    /// Where the subsystem shall be told anew what its inputs do, if it does not ask itself: inside
    /// the interval, or its end.
    double next_point(Interval interval) const;

private:
    struct Written {
        VariableGroup group;
        Values values;
        Values last;
        std::vector<std::size_t> columns;
    };
    void connect(std::size_t column);
    void read_base_values();
    void port_values(double t, Side side, std::span<double> values) const;
    void write_variables(double t, Side side);
    void update(Written& written, double t, Side side) const;

    Subsystem& subsystem_;
    const InputTable* table_;
    TableLaw law_;
    std::vector<Written> written_;
    std::vector<double> values_;
    std::vector<double> slopes_;
    bool takes_laws_ = false;
    bool law_is_set_ = false;
};

}  // namespace tandem::assemble
