#include "ssp/instances.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/names.hpp"
#include "ssp/table_reader.hpp"

namespace tandem::ssp {
namespace {

constexpr std::size_t deepest_nesting = 50;

const NestedSystem* find_by_id(const NestedSystem& system, const std::string& id) {
    if (system.id == id) return &system;
    for (const NestedSystem& nested : system.systems)
        if (const NestedSystem* found = find_by_id(nested, id)) return found;
    return nullptr;
}

template <class Named>
void merge(std::vector<Named>& known, const std::vector<Named>& more) {
    for (const Named& item : more) {
        const bool is_known = std::any_of(known.begin(), known.end(), [&](const Named& other) {
            return other.name == item.name;
        });
        if (!is_known) known.push_back(item);
    }
}

class Instantiation {
public:
    Instantiation(InstanceTree& tree, FlatSystem& flat, Diagnostics& findings)
        : tree_(tree), flat_(flat), findings_(findings) {}

    void fill(SystemInstance& instance) {
        instance.id = tree_.system_count++;
        const NestedSystem& system = *instance.system;
        for (const SignalDictionary& dictionary : system.dictionaries) {
            instance.dictionaries.push_back({&dictionary, tree_.dictionary_count++});
            merge(flat_.units, dictionary.units);
            merge(flat_.enumerations, dictionary.enumerations);
        }
        collect_definitions(system.bindings);
        for (const SubsystemDescription& subsystem : system.subsystems)
            add_subsystem(subsystem, instance);
        for (const NestedSystem& nested : system.systems)
            add_system({&nested, instance.file, nullptr}, nested.name, instance);
        for (const DictionaryReference& reference : system.references)
            add_reference(reference, instance);
        check_names(instance);
        for (std::size_t i = 0; i < instance.elements.size(); ++i)
            instance.index_by_name.emplace(instance.elements[i].name, i);
    }

    void use_file(const SystemDescription& file) {
        merge(flat_.units, file.units);
        merge(flat_.enumerations, file.enumerations);
        if (file.folder) flat_.folders.push_back(file.folder);
    }

private:
    struct Use {
        const NestedSystem* system;
        const SystemDescription* file;
        const SubsystemDescription* referrer;
    };

    void collect_definitions(const std::vector<ParameterBinding>& bindings) {
        for (const ParameterBinding& binding : bindings) {
            merge(flat_.units, binding.units);
            merge(flat_.enumerations, binding.enumerations);
        }
    }

    static std::string joined(const std::string& path, const std::string& name) {
        return path.empty() ? name : path + "." + name;
    }

    void add_system(const Use& use, const std::string& name, SystemInstance& parent) {
        Element element;
        element.name = name;
        element.system = std::make_unique<SystemInstance>();
        SystemInstance& instance = *element.system;
        instance.system = use.system;
        instance.file = use.file;
        instance.referrer = use.referrer;
        instance.parent = &parent;
        instance.path = joined(parent.path, name);
        fill(instance);
        parent.elements.push_back(std::move(element));
    }

    void add_subsystem(const SubsystemDescription& subsystem, SystemInstance& parent) {
        collect_definitions(subsystem.bindings);
        if (subsystem.type == SourceType::system) {
            add_referenced_system(subsystem, parent);
            return;
        }
        Element element;
        element.name = subsystem.name;
        element.subsystem = &subsystem;
        element.index = flat_.subsystems.size();
        parent.elements.push_back(std::move(element));
        FlatSubsystem flat;
        flat.name = joined(parent.path, subsystem.name);
        flat.type = subsystem.type;
        flat.source = subsystem.source;
        flat.source_is_refused = subsystem.source_is_refused;
        flat.kind = subsystem.kind;
        flat.options = subsystem.options;
        flat.connectors = subsystem.connectors;
        flat.place = subsystem.place;
        flat_.subsystems.push_back(std::move(flat));
    }

    void add_referenced_system(const SubsystemDescription& subsystem, SystemInstance& parent) {
        if (subsystem.nested) {
            warn_about_settings(subsystem);
            use_file(*subsystem.nested);
            add_system({&subsystem.nested->system, subsystem.nested.get(), &subsystem},
                       subsystem.name, parent);
            return;
        }
        if (!subsystem.source.empty()) return;
        const NestedSystem* target = find_by_id(parent.file->system, subsystem.fragment);
        if (target == nullptr) {
            report(
                findings_, subsystem.place,
                fmt::format("'{}': no system has the id '{}'", subsystem.name, subsystem.fragment),
                "give the id of a <System> of this file");
        } else if (contains_itself(*target, parent)) {
            report(findings_, subsystem.place,
                   fmt::format("'{}': the system '{}' contains itself", subsystem.name,
                               subsystem.fragment),
                   "break the circle: a system cannot be a part of itself");
        } else {
            add_system({target, parent.file, &subsystem}, subsystem.name, parent);
        }
    }

    static bool contains_itself(const NestedSystem& target, const SystemInstance& parent) {
        std::size_t depth = 0;
        for (const SystemInstance* at = &parent; at != nullptr; at = at->parent)
            if (at->system == &target || ++depth > deepest_nesting) return true;
        return false;
    }

    void warn_about_settings(const SubsystemDescription& subsystem) {
        const SystemDescription& nested = *subsystem.nested;
        const bool says = !nested.coupling.place.empty() || !nested.step_control.place.empty() ||
                          !nested.recording.place.empty() || !nested.report.place.empty();
        if (says)
            warn(findings_, subsystem.place,
                 fmt::format(
                     "'{}': what '{}' says about coupling, steps, recording and report is ignored",
                     subsystem.name, nested.file.filename().string()),
                 "those of the outermost system count");
    }

    void add_reference(const DictionaryReference& reference, SystemInstance& parent) {
        for (const SystemInstance* at = &parent; at != nullptr; at = at->parent) {
            for (const DictionaryInstance& dictionary : at->dictionaries) {
                if (dictionary.dictionary->name != reference.dictionary) continue;
                Element element;
                element.name = reference.name;
                element.reference = &reference;
                element.dictionary = dictionary.dictionary;
                element.dictionary_id = dictionary.id;
                parent.elements.push_back(std::move(element));
                return;
            }
        }
        report(findings_, reference.place,
               fmt::format("'{}': there is no signal dictionary '{}' here or further out",
                           reference.name, reference.dictionary),
               "define it in this system or one around it");
    }

    void check_names(const SystemInstance& instance) {
        std::set<std::string> seen;
        const auto check = [&](const auto& items) {
            for (const auto& item : items)
                if (!seen.insert(item.name).second)
                    report(findings_, item.place,
                           fmt::format("the name '{}' is used twice in one system", item.name),
                           "rename one of them");
        };
        check(instance.system->subsystems);
        check(instance.system->systems);
        check(instance.system->references);
    }

    InstanceTree& tree_;
    FlatSystem& flat_;
    Diagnostics& findings_;
};

}  // namespace

Element::Element() = default;
Element::Element(Element&&) noexcept = default;
Element& Element::operator=(Element&&) noexcept = default;
Element::~Element() = default;

const Element* SystemInstance::find(std::string_view name) const {
    const auto found = index_by_name.find(name);
    return found == index_by_name.end() ? nullptr : &elements[found->second];
}

std::vector<std::string> SystemInstance::element_names() const {
    std::vector<std::string> names;
    for (const Element& element : elements) names.push_back(element.name);
    return names;
}

std::unique_ptr<InstanceTree> instantiate(const SystemDescription& description, FlatSystem& flat,
                                          Diagnostics& findings) {
    auto tree = std::make_unique<InstanceTree>();
    tree->root.system = &description.system;
    tree->root.file = &description;
    Instantiation instantiation(*tree, flat, findings);
    instantiation.use_file(description);
    instantiation.fill(tree->root);
    return tree;
}

}  // namespace tandem::ssp
