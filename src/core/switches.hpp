#pragma once

#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/switched_function.hpp"
#include "tandem/extend/system.hpp"

namespace tandem {

/// The relations inside coupling functions. Their outcomes are held between events: what the
/// functions give is smooth there, and jumps where update() says so.
class Switches {
public:
    /// Lets those functions that are a SwitchedCall look at what is held here. Until the first
    /// update() nothing is.
    explicit Switches(std::vector<FunctionLink>& functions);
    Switches(const Switches&) = delete;
    Switches& operator=(const Switches&) = delete;

    bool empty() const { return functions_.empty(); }
    /// What is searched for switching times ends here.
    void set_end(double end) { end_ = end; }
    void release();

    /// Relations of signals: positive as long as the held outcome is right. Behind them the kinks
    /// of min, max and abs of signals, where their indicator changes its sign. `y` are all outputs.
    int indicator_count() const { return static_cast<int>(watched_.size()); }
    int kink_count() const { return kink_count_; }
    void indicators(double t, std::span<const double> y, std::span<double> z);
    const std::string& indicator_name(int i) const;
    /// Takes the outcomes of all relations at t; true if one changed.
    bool update(double t, std::span<const double> y);
    /// Likewise of those of time alone.
    bool update_timed(double t);
    bool has_timed() const { return has_timed_; }
    /// Where a relation of time alone changes next, or a function of time has a kink; infinity:
    /// nowhere.
    double next_switch(double t) { return next(t, switch_, &SwitchedFunction::next_switch); }
    double next_kink(double t) { return next(t, kink_, &SwitchedFunction::next_kink); }

    std::span<const double> held() const { return held_; }
    void restore(std::span<const double> held);

private:
    struct Function {
        std::shared_ptr<const SwitchedFunction> of;
        std::vector<int> outputs;
        std::string name;
        std::size_t begin = 0;  ///< of what is held
    };
    struct Watched {
        std::size_t function = 0;
        int number = 0;  ///< of the relation or kink in the function
    };
    /// What a search found: valid from where it began until there.
    struct Found {
        double from = std::numeric_limits<double>::infinity();
        double next = -std::numeric_limits<double>::infinity();
    };
    std::span<const double> held_of(const Function& function) const {
        return std::span(held_).subspan(function.begin,
                                        static_cast<std::size_t>(function.of->switch_count()));
    }
    std::span<double> outcomes_of(std::size_t function);
    void watch_kinks();
    std::span<const double> signals_of(const Function& function, std::span<const double> y);
    bool update(Function& function, bool timed_only, double t, std::span<const double> signals);
    double next(double t, Found& found, double (SwitchedFunction::*find)(double, double) const);

    std::vector<Function> functions_;
    std::vector<Watched> watched_;
    std::vector<double> held_, signals_, outcomes_;
    int kink_count_ = 0;
    bool has_timed_ = false;
    double end_ = std::numeric_limits<double>::max();
    Found switch_, kink_;
};

}  // namespace tandem
