#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "foreign/maestro.hpp"

namespace tandem::foreign {
namespace {

/// An object of a file whose keys are settings.
struct Layer {
    const Json* object = nullptr;
    const JsonText* text = nullptr;
};

bool is_empty(const Json& value) {
    return value.is_null() || value == false || value == "" ||
           (value.is_structured() && value.empty());
}

class Parser {
public:
    Parser(const JsonText& model, const JsonText* config) {
        if (config != nullptr) add_layer(config->root(), *config);
        // A file for the scenario verifier holds both.
        const Json& root = model.root();
        if (root.is_object() && root.contains("executionParameters"))
            add_layer(root["executionParameters"], model);
        add_layer(root.is_object() && root.contains("multiModel") ? root["multiModel"] : root,
                  model);
        if (find("fmus") == nullptr || found_->empty())
            throw InputError(model.file(), "has no 'fmus'",
                             "give the multi-model: an object with fmus, connections, parameters");
    }

    MaestroModel parse() {
        read_fmus();
        read_connections();
        read_parameters();
        for (const char* key : {"logVariables", "livestream", "requested_outputs"}) read_log(key);
        read_times();
        read_algorithm();
        read_flag("parallelSimulation", model_.is_parallel);
        for (const char* key : {"stabalizationEnabled", "stabilisation"})
            read_flag(key, model_.stabilises);
        for (const char* key : {"global_relative_tolerance", "convergenceRelativeTolerance"})
            if (const auto value = number(key)) model_.relative_tolerance = *value;
        note_others();
        return std::move(model_);
    }

private:
    void add_layer(const Json& object, const JsonText& text) {
        if (!object.is_object())
            throw InputError(text.file(), "is not an object of settings",
                             "give the multi-model: an object with fmus, connections, parameters");
        layers_.push_back({&object, &text});
    }

    /// The first layer that has the key counts; null without any. Sets `found_` and `text_`.
    const Json* find(const std::string& key) {
        if (std::ranges::find(known_, key) == known_.end()) known_.push_back(key);
        for (const Layer& layer : layers_)
            if (const auto value = layer.object->find(key);
                value != layer.object->end() && !value->is_null()) {
                text_ = layer.text;
                return found_ = &*value;
            }
        return found_ = nullptr;
    }

    [[noreturn]] void refuse(const std::string& key, const std::string& problem,
                             const std::string& hint = {}) const {
        throw InputError(text_->place_of(key), problem, hint);
    }

    /// The entries of the object at a key; none without it.
    std::vector<std::pair<std::string, const Json*>> entries(const std::string& key) {
        const Json* object = find(key);
        if (object == nullptr) return {};
        if (!object->is_object()) refuse(key, fmt::format("'{}' must be an object", key));
        return text_->entries(*object);
    }

    std::optional<double> number(const std::string& key) {
        const Json* value = find(key);
        if (value == nullptr) return std::nullopt;
        if (!value->is_number() || !std::isfinite(value->get<double>()))
            refuse(key, fmt::format("'{}' must be a number", key));
        return value->get<double>();
    }

    void read_flag(const std::string& key, bool& flag) {
        const Json* value = find(key);
        if (value == nullptr) return;
        if (!value->is_boolean()) refuse(key, fmt::format("'{}' must be true or false", key));
        flag = flag || value->get<bool>();
    }

    void read_fmus() {
        for (const auto& [key, path] : entries("fmus")) {
            if (!path->is_string())
                refuse(key, fmt::format("the file of '{}' must be a text", key));
            keys_.insert(key);
            model_.fmus.push_back({key, path->get<std::string>(), text_->place_of(key)});
        }
    }

    /// `place` is a key near it. An instance alone has no variable.
    MaestroModel::Name name_of(const std::string& text, const std::string& place,
                               bool has_variable = true) const {
        const auto key = text.find('}');
        const auto begin = key == std::string::npos ? key : key + 2;
        const auto dot = begin < text.size() ? text.find('.', begin) : std::string::npos;
        const bool is_whole = text.starts_with('{') && key != std::string::npos &&
                              begin < text.size() && text[key + 1] == '.' && dot != begin;
        if (!is_whole || (has_variable && (dot == std::string::npos || dot + 1 == text.size())))
            refuse(place,
                   fmt::format("'{}' is not the name of {}", text,
                               has_variable ? "a variable" : "an instance"),
                   has_variable ? "write {fmu}.instance.variable" : "write {fmu}.instance");
        MaestroModel::Name name{text.substr(0, key + 1), text.substr(begin, dot - begin), {}};
        if (has_variable) name.variable = text.substr(dot + 1);
        if (!has_variable) name.instance = text.substr(begin);
        check_key(name.key, place);
        return name;
    }

    void check_key(const std::string& key, const std::string& place) const {
        if (keys_.contains(key)) return;
        refuse(place, fmt::format("'{}' is not one of the 'fmus'", key),
               "add it there, or correct the name");
    }

    void read_connections() {
        for (const auto& [source, targets] : entries("connections")) {
            const MaestroModel::Name from = name_of(source, source);
            if (!targets->is_array()) refuse(source, "the targets must be a list");
            for (const Json& target : *targets) {
                if (!target.is_string()) refuse(source, "a target must be a text");
                model_.connections.push_back(
                    {from, name_of(target.get<std::string>(), source), text_->place_of(source)});
            }
        }
    }

    void read_parameters() {
        for (const auto& [name, value] : entries("parameters")) {
            if (value->is_null()) continue;
            Setting setting = setting_of(*value, name);
            setting.place = text_->place_of(name);
            model_.parameters.push_back({name_of(name, name), std::move(setting)});
            model_.parameters.back().value.key = model_.parameters.back().name.variable;
        }
    }

    Setting setting_of(const Json& value, const std::string& name) const {
        if (value.is_boolean()) return boolean_setting({}, value.get<bool>());
        if (value.is_string()) return description::text_setting({}, value.get<std::string>());
        if (value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX)
            return description::real_setting({}, value.get<double>());
        if (value.is_number_integer()) return integer_setting({}, value.get<std::int64_t>());
        if (value.is_number()) return description::real_setting({}, value.get<double>());
        if (!value.is_array()) refuse(name, fmt::format("the value of '{}' is an object", name));
        Setting list = description::group({}, Setting::Type::list, {});
        for (const Json& entry : value) list.entries.push_back(setting_of(entry, name));
        return list;
    }

    void read_log(const std::string& key) {
        for (const auto& [instance, names] : entries(key)) {
            MaestroModel::Name name = name_of(instance, instance, false);
            if (!names->is_array()) refuse(instance, "the variables must be a list");
            for (const Json& variable : *names) {
                if (!variable.is_string()) refuse(instance, "a variable must be a text");
                name.variable = variable.get<std::string>();
                model_.logged.push_back(name);
            }
        }
    }

    void read_times() {
        model_.start = number("startTime");
        for (const char* key : {"endTime", "end_time"})
            if (const auto value = number(key)) model_.end = *value;
        for (const char* key : {"step_size", "stepSize"})
            if (const auto value = number(key)) model_.step = *value;
        if (model_.end && *model_.end <= model_.start.value_or(0.0)) {
            const std::string key = find("endTime") != nullptr ? "endTime" : "end_time";
            refuse(key, "the end time is not after the start time", "give a later end time");
        }
        if (model_.step && *model_.step <= 0.0) {
            const std::string key = find("stepSize") != nullptr ? "stepSize" : "step_size";
            refuse(key, "the step size must be larger than 0");
        }
    }

    void read_algorithm() {
        const Json* algorithm = find("algorithm");
        if (algorithm == nullptr) return;
        model_.algorithm_place = text_->place_of("algorithm");
        if (!algorithm->is_object()) refuse("algorithm", "'algorithm' must be an object");
        if (algorithm->value("type", Json()).is_string())
            model_.algorithm = algorithm->value("type", "");
        // Of a variable step the first one or, where that is left to maestro, the longest.
        const Json size = algorithm->value("size", Json());
        const Json first = algorithm->value("initsize", Json());
        const bool has_first = first.is_number() && first.get<double>() != 0.0;
        const Json step = has_first ? first : size.is_array() && !size.empty() ? size.back() : size;
        if (!step.is_number()) return;
        model_.step = step.get<double>();
        if (!(*model_.step > 0.0) || !std::isfinite(*model_.step))
            refuse("algorithm", "the step size must be larger than 0", "write e.g. 0.01");
    }

    /// Keys that nobody asked for.
    void note_others() {
        const std::vector<std::string> display = {"visible",
                                                  "loggingOn",
                                                  "logLevels",
                                                  "log_levels",
                                                  "overrideLogLevel",
                                                  "simulator_log_level",
                                                  "enableAllLogCategoriesPerInstance",
                                                  "reportProgress",
                                                  "liveLogInterval",
                                                  "livestreamInterval",
                                                  "liveGraphColumns",
                                                  "liveGraphVisibleRowCount",
                                                  "graphs",
                                                  "postProcessingScript",
                                                  "multimodel_path",
                                                  "multimodel_crc",
                                                  "global_absolute_tolerance",
                                                  "convergenceAbsoluteTolerance",
                                                  "convergenceAttempts"};
        std::string left_out;
        for (const Layer& layer : layers_)
            for (const auto& [key, value] : layer.text->entries(*layer.object)) {
                if (is_empty(*value) || std::ranges::find(known_, key) != known_.end()) continue;
                if (key == "multiModel" || key == "executionParameters") continue;
                if (std::ranges::find(display, key) != display.end())
                    left_out += (left_out.empty() ? "" : ", ") + key;
                else
                    model_.notes.push_back({Severity::warning,
                                            layer.text->place_of(key),
                                            fmt::format("'{}' is not taken over", key),
                                            {}});
            }
        if (!left_out.empty())
            model_.notes.push_back({Severity::warning,
                                    layers_.front().text->file(),
                                    "settings of logging, display and iteration are not taken "
                                    "over: " +
                                        left_out,
                                    {}});
    }

    std::vector<Layer> layers_;
    std::vector<std::string> known_;
    std::set<std::string> keys_;
    const Json* found_ = nullptr;
    const JsonText* text_ = nullptr;
    MaestroModel model_;
};

}  // namespace

MaestroModel parse_maestro(const JsonText& model, const JsonText* config) {
    return Parser(model, config).parse();
}

}  // namespace tandem::foreign
