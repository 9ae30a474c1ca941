#include "kit/step_model.hpp"

#include <algorithm>

#include "tandem/error.hpp"

namespace tandem::kit {
namespace {

EngineOptions with_external_steps(EngineOptions options) {
    options.external_steps = true;
    return options;
}

}  // namespace

StepModel::StepModel(const ModelClass& model_class, std::string name, EngineOptions options)
    : name_(std::move(name)),
      engine_((name_.call("its constructor"), model_class),
              with_external_steps(std::move(options))),
      variables_(name_, engine_) {
    facets_ = facets_of(this);
    interface_.capabilities.rollback = interface_.capabilities.serialise = true;
    interface_.capabilities.variable_step = true;
    interface_.uses_end_inputs = true;
    inputs_ = all_inputs(engine_.records());
    show(all_outputs(engine_.records()));
}

StepModel::~StepModel() { freeing_.emplace(name_.shared(), "its destructor"); }

void StepModel::select_ports(const PortSelection& selection) {
    show(outputs_named(engine_.records(), selection.outputs));
}

void StepModel::set_scales(const Scales& scales) {
    scales_ = scales;
    show(std::move(outputs_));
}

void StepModel::show(NativePorts outputs) {
    outputs_ = std::move(outputs);
    interface_.inputs = inputs_.ports;
    interface_.outputs = outputs_.ports;
    set_nominals(scales_.nominals, interface_.inputs);
    set_nominals(scales_.nominals, interface_.outputs);
    interface_.feed_through.clear();
    for (std::size_t y = 0; y < outputs_.slots.size(); ++y)
        for (std::size_t u = 0; u < inputs_.slots.size(); ++u)
            if (depends_on(engine_.records(), outputs_.slots[y], inputs_.slots[u]))
                interface_.feed_through.push_back({static_cast<int>(y), static_cast<int>(u)});
}

void StepModel::enter_initialisation(const Experiment& experiment) {
    const ForeignCall mark = name_.call("initialise()");
    engine_.enter_initialisation(experiment.start);
}

void StepModel::exit_initialisation() {
    const ForeignCall mark = name_.call("initialise()");
    engine_.exit_initialisation();
}

void StepModel::set_inputs(const InputCourse& course) {
    set_ports(engine_, inputs_, course.values);
}

StepResult StepModel::step(Interval interval) {
    const ForeignCall mark = name_.call("step()");
    try {
        engine_.step(interval.begin, interval.length());
    } catch (const Discard&) {
        return {Outcome::rejected, interval.begin};
    } catch (const std::exception& problem) {
        throw FmuError(name_, "step()", std::string("failed: ") + problem.what());
    }
    engine_.set_time(interval.end);
    return {engine_.terminate_requested() ? Outcome::terminated : Outcome::complete, interval.end};
}

void StepModel::get_outputs(std::span<double> outputs) {
    const ForeignCall mark = name_.call("outputs()");
    get_ports(engine_, outputs_, outputs);
}

void StepModel::save(StateSlot slot) {
    auto& bytes = saved_[static_cast<std::size_t>(slot)];
    bytes.clear();
    engine_.save(bytes);
}

void StepModel::restore(StateSlot slot) { engine_.restore(saved_[static_cast<std::size_t>(slot)]); }

}  // namespace tandem::kit
