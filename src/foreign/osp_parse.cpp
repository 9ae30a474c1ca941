#include <fmt/format.h>

#include <set>

#include "base/names.hpp"
#include "files/xml.hpp"
#include "foreign/osp.hpp"
#include "foreign/values.hpp"
#include "tandem/value.hpp"

namespace tandem::foreign {
namespace {

/// Without the prefix of a namespace.
std::string_view name_of(XmlElement element) {
    const std::string_view name = element.name();
    return name.substr(name.find(':') + 1);
}

class Parser {
public:
    Parser(std::string_view text, const std::string& place) : document_(text, place) {}

    OspStructure structure() {
        const XmlElement root = document_.root();
        if (name_of(root) != "OspSystemStructure")
            refuse(root,
                   fmt::format("the root element is '{}', not OspSystemStructure", root.name()),
                   "give the OspSystemStructure.xml of a system");
        for (const XmlElement element : root.children()) read(element);
        if (result_.simulators.empty())
            refuse(root, "has no simulators", "add <Simulators> with a <Simulator>");
        check_times(root);
        for (const auto& connection : result_.connections) {
            check_owner(connection.first, connection.place);
            check_owner(connection.second, connection.place);
        }
        return std::move(result_);
    }

    std::vector<OspGroup> groups() {
        std::vector<OspGroup> list;
        for (const XmlElement element : document_.root().children())
            if (name_of(element) == "VariableGroups")
                for (const XmlElement group : element.children()) list.push_back(group_of(group));
        return list;
    }

private:
    Place place_of(XmlElement element) const {
        return fmt::format("{}:{}", document_.place(), element.line());
    }
    [[noreturn]] void refuse(XmlElement element, const std::string& problem,
                             const std::string& hint = {}) const {
        throw InputError(place_of(element), problem, hint);
    }
    void ignore(XmlElement element) {
        result_.ignored.push_back(
            {Severity::warning,
             place_of(element),
             fmt::format("<{}> is not taken over: it is not known", name_of(element)),
             {}});
    }

    std::string attribute(XmlElement element, const char* name) const {
        const auto value = element.attribute(name);
        if (!value || value->empty())
            refuse(element, fmt::format("<{}> has no {}", name_of(element), name),
                   fmt::format("add {}=\"...\"", name));
        return std::string(*value);
    }
    double number(XmlElement element, std::string_view text) const {
        const auto value = number_of(text);
        if (!value)
            refuse(element, fmt::format("'{}' in <{}> is not a number", text, name_of(element)),
                   "write a finite number like 1e-3");
        return *value;
    }
    double number(XmlElement element, const char* name, double otherwise) const {
        const auto value = element.attribute(name);
        return value ? number(element, *value) : otherwise;
    }
    std::int64_t count(XmlElement element, const char* name) const {
        Values values;
        if (!append_text(ValueType::int32, attribute(element, name), values) ||
            values.integers.front() < 1)
            refuse(element, fmt::format("{} must be an integer from 1 on", name));
        return values.integers.front();
    }

    void read(XmlElement element) {
        const std::string_view name = name_of(element);
        if (name == "StartTime")
            result_.start = number(element, element.text());
        else if (name == "EndTime")
            result_.end = number(element, element.text());
        else if (name == "BaseStepSize")
            result_.base_step = number(element, element.text());
        else if (name == "Algorithm")
            read_algorithm(element);
        else if (name == "Simulators")
            for_each(element, "Simulator", &Parser::read_simulator);
        else if (name == "Functions")
            for (const XmlElement f : element.children()) read_function(f);
        else if (name == "Connections")
            for (const XmlElement c : element.children()) read_connection(c);
        else if (name == "EccoConfiguration")
            for (const XmlElement e : element.children())
                result_.ecco[std::string(name_of(e))] = number(e, e.text());
        else
            ignore(element);
    }

    void for_each(XmlElement parent, std::string_view name, void (Parser::*action)(XmlElement)) {
        for (const XmlElement child : parent.children())
            if (name_of(child) == name)
                (this->*action)(child);
            else
                ignore(child);
    }

    void read_algorithm(XmlElement element) {
        result_.algorithm = trimmed(element.text());
        result_.algorithm_place = place_of(element);
    }

    void read_simulator(XmlElement element) {
        OspStructure::Simulator simulator;
        simulator.name = attribute(element, "name");
        simulator.source = attribute(element, "source");
        simulator.place = place_of(element);
        if (element.attribute("stepSize")) simulator.step_size = number(element, "stepSize", 0.0);
        if (!simulators_.insert(simulator.name).second)
            refuse(element, fmt::format("there are two simulators '{}'", simulator.name),
                   "give each a name of its own");
        for (const XmlElement list : element.children())
            if (name_of(list) == "InitialValues")
                for (const XmlElement value : list.children())
                    simulator.initial_values.push_back(initial_value(value));
            else
                ignore(list);
        result_.simulators.push_back(std::move(simulator));
    }

    Setting initial_value(XmlElement element) const {
        Setting value = description::text_setting(attribute(element, "variable"), {});
        const XmlElement typed = element.first_child();
        const std::string_view type = typed ? name_of(typed) : "";
        const auto text = typed ? typed.attribute("value") : std::nullopt;
        if (!text)
            refuse(element, "an <InitialValue> has no value", "write <Real value=\"1.5\"/> in it");
        value.scalar = std::string(type == "String" ? *text : trimmed(*text));
        const bool is_known = type == "Real" || type == "Integer" || type == "Boolean" ||
                              type == "String" || type == "Enumeration";
        const bool fits =
            type == "String" || give_type(value, type == "Real"      ? ValueType::float64
                                                 : type == "Boolean" ? ValueType::boolean
                                                                     : ValueType::int32);
        if (!is_known || !fits)
            refuse(typed, fmt::format("'{}' is not a value of the type {}", *text, type),
                   "use Real, Integer, Boolean or String with a value of that type");
        value.place = place_of(element);
        return value;
    }

    void read_function(XmlElement element) {
        using Kind = OspStructure::Function::Kind;
        OspStructure::Function function;
        function.name = attribute(element, "name");
        function.place = place_of(element);
        const std::string_view kind = name_of(element);
        if (kind == "LinearTransformation") {
            function.factor = number(element, "factor", 1.0);
            function.offset = number(element, "offset", 0.0);
        } else if (kind == "Sum" || kind == "VectorSum") {
            function.kind = kind == "Sum" ? Kind::sum : Kind::vector_sum;
            function.inputs = count(element, "inputCount");
            if (kind == "VectorSum") function.dimension = count(element, "dimension");
        } else {
            refuse(element, fmt::format("the function <{}> is not known", kind),
                   did_you_mean(kind, {"LinearTransformation", "Sum", "VectorSum"},
                                "OSP has LinearTransformation, Sum and VectorSum"));
        }
        if (!functions_.insert(function.name).second)
            refuse(element, fmt::format("there are two functions '{}'", function.name),
                   "give each a name of its own");
        result_.functions.push_back(std::move(function));
    }

    void read_connection(XmlElement element) {
        const std::string_view kind = name_of(element);
        const bool is_group = kind == "VariableGroupConnection" || kind == "SignalGroupConnection";
        if (!is_group && kind != "VariableConnection" && kind != "SignalConnection")
            return ignore(element);
        std::vector<OspStructure::End> ends;
        for (const XmlElement child : element.children()) {
            const std::string_view name = name_of(child);
            const bool is_function = name == "Signal" || name == "SignalGroup";
            if (is_function || name == "Variable" || name == "VariableGroup")
                ends.push_back({is_function,
                                attribute(child, is_function ? "function" : "simulator"),
                                attribute(child, "name")});
        }
        if (ends.size() != 2 || (ends[0].is_function && ends[1].is_function))
            refuse(element, fmt::format("a <{}> must have two ends", kind),
                   "name two variables, or a variable and a signal of a function");
        result_.connections.push_back({is_group, ends[0], ends[1],
                                       std::string(element.attribute("powerBond").value_or("")),
                                       place_of(element)});
    }

    void check_times(XmlElement root) const {
        if (result_.base_step <= 0.0)
            refuse(root, "BaseStepSize must be larger than 0", "write e.g. 1e-3");
        if (result_.end && *result_.end <= result_.start.value_or(0.0))
            refuse(root, "EndTime is not after StartTime", "give a later EndTime");
    }

    void check_owner(const OspStructure::End& end, const Place& place) const {
        const std::set<std::string>& known = end.is_function ? functions_ : simulators_;
        if (known.contains(end.owner)) return;
        throw InputError(place,
                         fmt::format("there is no {} '{}'",
                                     end.is_function ? "function" : "simulator", end.owner),
                         did_you_mean(end.owner, {known.begin(), known.end()}, "check the name"));
    }

    OspGroup group_of(XmlElement element) const {
        OspGroup group;
        group.name = element.attribute("name").value_or("");
        for (const XmlElement child : element.children())
            if (name_of(child) == "Variable")
                group.variables.push_back(attribute(child, "ref"));
            else
                group.groups.push_back(group_of(child));
        return group;
    }

    XmlDocument document_;
    OspStructure result_;
    std::set<std::string> simulators_, functions_;
};

}  // namespace

OspStructure parse_osp_structure(std::string_view text, const std::string& place) {
    return Parser(text, place).structure();
}

std::vector<OspGroup> parse_osp_groups(std::string_view text, const std::string& place) {
    return Parser(text, place).groups();
}

}  // namespace tandem::foreign
