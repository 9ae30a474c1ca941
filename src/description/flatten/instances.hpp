#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "description/flatten.hpp"

namespace tandem::description {

struct SystemInstance;

/// What a system holds under one name.
struct Element {
    std::string name;
    const SubsystemDescription* subsystem = nullptr;  ///< a subsystem with this flat index ...
    std::size_t index = 0;
    std::unique_ptr<SystemInstance> system;          ///< ... or a nested system ...
    const DictionaryReference* reference = nullptr;  ///< ... or a window on a dictionary
    const SignalDictionary* dictionary = nullptr;
    std::size_t dictionary_id = 0;

    Element();
    Element(Element&&) noexcept;
    Element& operator=(Element&&) noexcept;
    ~Element();
};

struct DictionaryInstance {
    const SignalDictionary* dictionary = nullptr;
    std::size_t id = 0;
};

/// One use of a system: a file used twice gives two instances.
struct SystemInstance {
    const NestedSystem* system = nullptr;
    const SystemDescription* file = nullptr;
    /// Bindings of the subsystem that refers to the file of this system; they come last.
    const SubsystemDescription* referrer = nullptr;
    SystemInstance* parent = nullptr;
    std::string path;  ///< "car.front", empty for the outermost system
    std::size_t id = 0;
    std::vector<Element> elements;
    std::map<std::string, std::size_t, std::less<>> index_by_name;
    std::vector<DictionaryInstance> dictionaries;

    const Element* find(std::string_view name) const;
    std::vector<std::string> element_names() const;
};

struct InstanceTree {
    SystemInstance root;
    std::size_t system_count = 0;
    std::size_t dictionary_count = 0;
};

/// Instantiates all systems; fills the subsystems, units, enumerations and folders of `flat`.
std::unique_ptr<InstanceTree> instantiate(const SystemDescription& description, FlatSystem& flat,
                                          Diagnostics& findings);

}  // namespace tandem::description
