#include "description/flatten/instances.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/names.hpp"
#include "description/read/read_context.hpp"
#include "description/read/weight.hpp"
#include "description/table_reader.hpp"
#include "files/read_file.hpp"

namespace tandem::description {
namespace {

/// Subsystems and nested systems, counted as often as they are used.
constexpr std::size_t most_elements = 100'000;
/// What they hold besides, counted likewise, in bytes of memory.
constexpr std::size_t most_bytes = std::size_t{1} << 30U;
/// Of a subsystem with the names of the systems around it.
constexpr std::size_t longest_name = 1000;

const NestedSystem* find_by_id(const NestedSystem& system, const std::string& id) {
    if (system.id == id) return &system;
    for (const NestedSystem& nested : system.systems)
        if (const NestedSystem* found = find_by_id(nested, id)) return found;
    return nullptr;
}

/// Units or enumerations by their names; the first of a name counts.
template <class Named>
class Definitions {
public:
    explicit Definitions(std::vector<Named>& all) : all_(all) {}

    /// A list that is used again adds nothing.
    void add(const std::vector<Named>& more) {
        if (more.empty() || !lists_.insert(&more).second) return;
        for (const Named& item : more)
            if (names_.insert(item.name).second) all_.push_back(item);
    }

private:
    std::vector<Named>& all_;
    std::set<const void*> lists_;
    std::set<std::string, std::less<>> names_;
};

class Instantiation {
public:
    Instantiation(InstanceTree& tree, FlatSystem& flat, Diagnostics& findings)
        : tree_(tree),
          flat_(flat),
          findings_(findings),
          units_(flat.units),
          enumerations_(flat.enumerations) {}

    void fill(SystemInstance& instance) {
        instance.id = tree_.system_count++;
        const NestedSystem& system = *instance.system;
        for (const SignalDictionary& dictionary : system.dictionaries) {
            instance.dictionaries.push_back({&dictionary, tree_.dictionary_count++});
            units_.add(dictionary.units);
            enumerations_.add(dictionary.enumerations);
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
        units_.add(file.units);
        enumerations_.add(file.enumerations);
        if (file.folder && folders_.insert(file.folder.get()).second)
            flat_.folders.push_back(file.folder);
    }

private:
    struct Use {
        const NestedSystem* system;
        const SystemDescription* file;
        const SubsystemDescription* referrer;
    };

    void collect_definitions(const std::vector<ParameterBinding>& bindings) {
        for (const ParameterBinding& binding : bindings) {
            units_.add(binding.units);
            enumerations_.add(binding.enumerations);
        }
    }

    static std::string joined(const std::string& path, const std::string& name) {
        return path.empty() ? name : path + "." + name;
    }

    /// False, and one report, when references have multiplied beyond the limits.
    template <class Part>
    bool has_room(const Part& part, const Place& place) {
        if (flat_.is_cut_off) return false;
        const auto [known, is_new] = weights_.emplace(&part, 0);
        if (is_new) known->second = weight_of(part);
        bytes_ += known->second;
        flat_.is_cut_off = ++elements_ > most_elements || bytes_ > most_bytes;
        if (elements_ > most_elements)
            report(findings_, place,
                   fmt::format("the system comes to more than {} subsystems and nested systems, "
                               "the limit here",
                               most_elements),
                   "look for files that refer to each other many times over");
        else if (flat_.is_cut_off)
            report(findings_, place,
                   fmt::format("what the systems hold, counted as often as they are used, comes to "
                               "more than {}, the limit here",
                               size_text(most_bytes)),
                   "look for files that refer to each other many times over");
        return !flat_.is_cut_off;
    }

    bool is_short(const std::string& path, const std::string& name, const Place& place) {
        if (path.size() + name.size() < longest_name) return true;
        report(findings_, place,
               fmt::format("the name '{}...' with the systems around it is longer than {} "
                           "characters, the limit here",
                           joined(path, name).substr(0, 60), longest_name),
               "give it a shorter name");
        return false;
    }

    void add_system(const Use& use, const std::string& name, SystemInstance& parent) {
        const Place& place = use.referrer != nullptr ? use.referrer->place : use.system->place;
        if (!has_room(*use.system, place) || !is_short(parent.path, name, place)) return;
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
        if (!has_room(subsystem, subsystem.place) ||
            !is_short(parent.path, subsystem.name, subsystem.place))
            return;
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
        for (const Setting& option : subsystem.options)
            warn(findings_, option.place,
                 fmt::format("'{}' is for models; it has no effect on the system '{}'", option.key,
                             subsystem.name),
                 "give it to the subsystems inside");
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
        } else if (depth_of(parent) >= deepest_nesting) {
            report_nesting(subsystem.place, findings_);
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
        for (const SystemInstance* at = &parent; at != nullptr; at = at->parent)
            if (at->system == &target) return true;
        return false;
    }

    static std::size_t depth_of(const SystemInstance& system) {
        std::size_t depth = 0;
        for (const SystemInstance* at = system.parent; at != nullptr; at = at->parent) ++depth;
        return depth;
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
    Definitions<Unit> units_;
    Definitions<Enumeration> enumerations_;
    std::set<const void*> folders_;
    std::map<const void*, std::size_t> weights_;
    std::size_t elements_ = 0;
    std::size_t bytes_ = 0;
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

}  // namespace tandem::description
