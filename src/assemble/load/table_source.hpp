#pragma once

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

#include "assemble/load/input_table.hpp"
#include "core/scales.hpp"
#include "tandem/extend/subsystem.hpp"

namespace tandem::assemble {

/// Between two rows of a table: a straight line, or the value of the first.
enum class Interpolation { linear, hold };

/// A CSV file as a subsystem: its columns are outputs; two rows with one time are a jump. Columns
/// of true and false are boolean, columns of words enumerations with these words as items.
class TableSource final : public Subsystem,
                          public Rollback,
                          public Linearisable,
                          public Scaled,
                          private Variables {
public:
    /// Throws InputError for a file that cannot be read or understood.
    TableSource(std::string name, const std::filesystem::path& file,
                Interpolation interpolation = Interpolation::linear);

    std::unique_ptr<TableSource> copy() const;

    const std::string& name() const override { return name_; }
    const Interface& interface() const override { return interface_; }
    Variables& variables() override { return *this; }
    void set_scales(const Scales& scales) override {
        set_nominals(scales.nominals, interface_.outputs);
    }
    void enter_initialisation(const Experiment& experiment) override;
    void exit_initialisation() override {}
    void finish() override {}
    void set_inputs(const InputCourse&) override {}
    StepResult step(Interval interval) override;
    void get_outputs(std::span<double> outputs) override;
    void save(StateSlot slot) override;
    void restore(StateSlot slot) override;

    /// Before the run: the column, an index into its variables, is held between rows. False: it
    /// was before.
    bool hold(std::size_t column);
    /// The output port of a real column.
    int port_of(std::size_t column) const;
    /// Whether all values of a column are integers.
    bool is_whole(std::size_t column) const;

    /// What the output port shows at `t`.
    double value_at(int port, double t, Side side) const {
        return table_->real_at(real_columns_[static_cast<std::size_t>(port)], t, side);
    }
    /// The first point after the start where a step over the interval has to end.
    double end_of_step(Interval interval) const {
        const double stop = std::min({next_jump(interval.begin).value_or(interval.end),
                                      next_break(interval.begin), interval.end});
        return next_bend({interval.begin, stop}).value_or(stop);
    }

    Interval times() const { return table_->times(); }
    /// Moves jumps that miss a grid point by rounding only onto it, so that none is followed by a
    /// step of length zero.
    void align(const TimeGrid& grid) { table_->align(grid); }
    /// The next time after `t` where a column jumps, if there is one.
    std::optional<double> next_jump(double t) const { return table_->next_jump(t); }
    /// As for InputTable.
    void find_kinks(double tolerance) { table_->find_kinks(tolerance); }
    double next_kink(double t) const { return table_->next_kink(t); }
    void find_breaks(double reach) { table_->find_breaks(reach); }
    double next_break(double t) const { return table_->next_break(t); }
    std::optional<double> next_bend(Interval interval) const { return table_->next_bend(interval); }
    /// A step that ends at a jump gives the values before it; from now on those after it.
    void pass_jump() { side_ = Side::after; }
    /// Shows the values at `t`, on that side of a jump there.
    void show(double t, Side side) {
        now_ = t;
        side_ = side;
    }

private:
    TableSource(const TableSource&) = default;

    const std::vector<VariableInfo>& list() const override { return list_; }
    VariableGroup group(std::span<const std::size_t> variables) const override;
    void read(const VariableGroup& group, Values& values) override;
    void write(const VariableGroup& group, const Values& values) override;

    std::string name_;
    std::vector<VariableInfo> list_;
    std::vector<std::size_t> real_columns_;  ///< of each output port
    std::optional<InputTable> table_;
    Interface interface_;
    double now_ = 0.0;
    Side side_ = Side::after;
    double saved_[state_slot_count] = {};
};

}  // namespace tandem::assemble
