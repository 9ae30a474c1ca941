#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "fmi/description/parse_parts.hpp"

namespace tandem::fmi {
namespace {

constexpr std::array<std::pair<std::string_view, DependencyKind>, 5> dependency_kinds = {{
    {"dependent", DependencyKind::dependent},
    {"constant", DependencyKind::constant},
    {"fixed", DependencyKind::fixed},
    {"tunable", DependencyKind::tunable},
    {"discrete", DependencyKind::discrete},
}};

/// The variable a structure entry means: counted from 1 in FMI 2.0, a value reference in 3.0.
std::size_t resolve(ParseContext& context, int line, std::uint32_t stated) {
    if (context.model.version == Version::v3) {
        const auto found = context.reference_index.find(stated);
        if (found != context.reference_index.end()) return found->second;
    } else if (stated >= 1 && stated <= context.model.variables.size()) {
        return stated - 1;
    }
    context.refuse(line,
                   fmt::format("the model structure refers to variable {}, "
                               "which does not exist",
                               stated),
                   context.model.version == Version::v3
                       ? "correct the value reference"
                       : fmt::format("there are {} variables, counted from 1",
                                     context.model.variables.size()));
}

void read_dependency_kinds(ParseContext& context, Attributes& attributes,
                           std::vector<Dependency>& dependencies) {
    const auto text = attributes.find("dependenciesKind");
    if (!text) return;
    const auto words = words_of(*text);
    if (words.size() != dependencies.size()) {
        context.warn(attributes.line(),
                     fmt::format("{} dependencies but {} kinds", dependencies.size(), words.size()),
                     "the kinds are ignored: every dependency counts as 'dependent'");
        return;
    }
    for (std::size_t i = 0; i < words.size(); ++i) {
        const auto* known = std::find_if(dependency_kinds.begin(), dependency_kinds.end(),
                                         [&](const auto& each) { return each.first == words[i]; });
        if (known != dependency_kinds.end())
            dependencies[i].kind = known->second;
        else
            context.warn(attributes.line(),
                         fmt::format("the dependency kind {} is unknown", quoted(words[i])),
                         "it is taken as 'dependent'");
    }
}

Unknown read_unknown(ParseContext& context, XmlElement element) {
    const char* key = context.model.version == Version::v3 ? "valueReference" : "index";
    Attributes attributes(context, element);
    attributes.required(key);
    Unknown unknown;
    unknown.variable =
        resolve(context, element.line(), *attributes.strict_number<std::uint32_t>(key));
    if (const auto stated = attributes.list<std::uint32_t>("dependencies")) {
        unknown.dependencies.emplace();
        unknown.dependencies->reserve(stated->size());
        for (const std::uint32_t each : *stated)
            unknown.dependencies->push_back({resolve(context, element.line(), each)});
        read_dependency_kinds(context, attributes, *unknown.dependencies);
    } else {
        attributes.ignore({"dependenciesKind"});
    }
    attributes.finish();
    return unknown;
}

void read_fmi2_structure(ParseContext& context, XmlElement section) {
    ModelStructure& structure = context.model.structure;
    const auto read_list = [&](const char* name, std::vector<Unknown>& list) {
        for (const XmlElement element : section.child(name).children())
            if (element.name() == "Unknown") list.push_back(read_unknown(context, element));
    };
    read_list("Outputs", structure.outputs);
    read_list("Derivatives", structure.derivatives);
    read_list("DiscreteStates", structure.clocked_states);
    read_list("InitialUnknowns", structure.initial_unknowns);
}

void read_fmi3_structure(ParseContext& context, XmlElement section) {
    ModelStructure& structure = context.model.structure;
    const std::array<std::pair<std::string_view, std::vector<Unknown>*>, 5> lists = {{
        {"Output", &structure.outputs},
        {"ContinuousStateDerivative", &structure.derivatives},
        {"ClockedState", &structure.clocked_states},
        {"InitialUnknown", &structure.initial_unknowns},
        {"EventIndicator", &structure.event_indicators},
    }};
    for (const XmlElement element : section.children()) {
        const auto* list = std::find_if(lists.begin(), lists.end(), [&](const auto& each) {
            return each.first == element.name();
        });
        if (list != lists.end())
            list->second->push_back(read_unknown(context, element));
        else if (element.name() != "Annotations")
            context.warn(
                element.line(),
                fmt::format("the element <{}> is unknown and ignored", quoted(element.name())),
                "FMI does not define it there");
    }
}

/// FMI 1.0 has no model structure: outputs list the inputs they depend on by name.
void read_fmi1_structure(ParseContext& context) {
    const ModelDescription& model = context.model;
    std::vector<Unknown>& outputs = context.model.structure.outputs;
    auto next = context.direct_dependencies.begin();
    for (std::size_t i = 0; i < model.variables.size(); ++i) {
        while (next != context.direct_dependencies.end() && next->first < i) ++next;
        if (model.variables[i].causality != Causality::output) continue;
        Unknown output{i, std::nullopt};
        if (next != context.direct_dependencies.end() && next->first == i) {
            output.dependencies.emplace();
            for (const XmlElement name : next->second.children()) {
                const auto found = model.find(name.text());
                if (found)
                    output.dependencies->push_back({*found});
                else
                    context.warn(name.line(),
                                 fmt::format("{} depends on {}, which does not exist",
                                             quoted(model.variables[i].name), quoted(name.text())),
                                 "the dependency is ignored");
            }
        }
        outputs.push_back(std::move(output));
    }
}

std::size_t count_values(const ModelDescription& model, const std::vector<Unknown>& list) {
    std::size_t count = 0;
    for (const Unknown& unknown : list) count += model.variables[unknown.variable].size();
    return count;
}

}  // namespace

void read_structure(ParseContext& context, XmlElement root) {
    ModelDescription& model = context.model;
    if (model.version == Version::v1) {
        read_fmi1_structure(context);
        return;
    }
    const XmlElement section = root.child("ModelStructure");
    if (!section)
        context.warn(root.line(), "there is no <ModelStructure>",
                     "the outputs are taken from the variables, without dependencies");
    if (model.version == Version::v3) {
        read_fmi3_structure(context, section);
        model.event_indicator_count = count_values(model, model.structure.event_indicators);
    } else {
        read_fmi2_structure(context, section);
    }
    model.state_count = count_values(model, model.structure.derivatives);
}

}  // namespace tandem::fmi
