#pragma once

#include "tandem/model.hpp"

namespace tandem::kit {

/// The kit's way into the private parts of a Model.
class Access {
public:
    static std::vector<Record>& records(Model& m) { return m.records_; }
    static std::vector<double>& indicators(Model& m) { return m.indicators_; }
    static double& time(Model& m) { return m.time_; }
    static double& next_event(Model& m) { return m.next_event_; }
    static bool& terminate(Model& m) { return m.terminate_; }
    static bool& again(Model& m) { return m.again_; }
    static bool& event_requested(Model& m) { return m.event_requested_; }
    static bool& time_event(Model& m) { return m.time_event_; }
    static bool has_exact_jacobian(const Model& m) { return m.exact_jacobian_; }
    static bool outputs_come_first(const Model& m) { return m.outputs_first_; }
    static void set_logger(Model& m, std::function<void(int, const std::string&)> logger) {
        m.logger_ = std::move(logger);
    }
    static void set_resources(Model& m, std::string folder) { m.resources_ = std::move(folder); }

    static auto& entries(Jacobian& j) { return j.entries_; }
};

}  // namespace tandem::kit
