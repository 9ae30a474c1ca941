#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <unordered_set>

#include "fmi/description/parse_parts.hpp"

namespace tandem::fmi {
namespace {

BaseUnit read_base_unit(ParseContext& context, XmlElement element) {
    constexpr std::array<const char*, 8> names = {"kg", "m", "s", "A", "K", "mol", "cd", "rad"};
    BaseUnit base;
    Attributes attributes(context, element);
    for (std::size_t i = 0; i < names.size(); ++i)
        base.exponents[i] = attributes.number<std::int32_t>(names[i]).value_or(0);
    base.factor = attributes.number<double>("factor").value_or(1.0);
    base.offset = attributes.number<double>("offset").value_or(0.0);
    attributes.finish();
    return base;
}

/// FMI 1.0 calls them displayUnit and gain, later versions name and factor.
DisplayUnit read_display_unit(ParseContext& context, XmlElement element) {
    const bool v1 = context.model.version == Version::v1;
    Attributes attributes(context, element);
    DisplayUnit unit;
    unit.name = attributes.required(v1 ? "displayUnit" : "name");
    unit.factor = attributes.number<double>(v1 ? "gain" : "factor").value_or(1.0);
    unit.offset = attributes.number<double>("offset").value_or(0.0);
    unit.inverse = attributes.flag("inverse");
    attributes.finish();
    return unit;
}

Unit read_unit(ParseContext& context, XmlElement element) {
    Attributes attributes(context, element);
    Unit unit;
    unit.name = attributes.required(context.model.version == Version::v1 ? "unit" : "name");
    attributes.finish();
    for (const XmlElement part : element.children()) {
        if (part.name() == "BaseUnit")
            unit.base = read_base_unit(context, part);
        else if (part.name() == "DisplayUnit" || part.name() == "DisplayUnitDefinition")
            unit.display_units.push_back(read_display_unit(context, part));
    }
    return unit;
}

std::vector<EnumerationItem> read_items(ParseContext& context, XmlElement element) {
    std::vector<EnumerationItem> items;
    std::set<std::string> names;
    std::set<std::int64_t> values;
    for (const XmlElement child : element.children()) {
        if (child.name() != "Item") continue;
        Attributes attributes(context, child);
        EnumerationItem item;
        item.name = attributes.required("name");
        // FMI 1.0 counts the items from 1.
        item.value = attributes.strict_number<std::int64_t>("value").value_or(
            static_cast<std::int64_t>(items.size()) + 1);
        item.description = attributes.text("description");
        attributes.finish();
        if (!names.insert(item.name).second || !values.insert(item.value).second)
            context.warn(child.line(),
                         fmt::format("the enumeration item {} = {} occurs twice", quoted(item.name),
                                     item.value),
                         "names and values of an enumeration should differ");
        items.push_back(std::move(item));
    }
    return items;
}

/// A type definition and the type it builds on, which real files have though FMI knows no such
/// chain.
struct DraftType {
    TypeDefinition definition;
    XmlElement element;  ///< that with the attributes
    std::string base;
};

std::optional<DraftType> read_type(ParseContext& context, XmlElement element) {
    DraftType draft;
    Attributes attributes(context, element);
    draft.definition.name = attributes.required("name");
    draft.definition.description = attributes.text("description");
    draft.element = context.model.version == Version::v3 ? element : element.first_child();
    const auto type = type_of_element(context.model.version, draft.element.name());
    if (!type) {
        context.warn(
            element.line(),
            fmt::format("the type {} is of an unknown kind", quoted(draft.definition.name)),
            "it is ignored");
        return std::nullopt;
    }
    draft.definition.type = *type;
    draft.base = std::string(draft.element.attribute("declaredType").value_or(""));
    draft.definition.items = read_items(context, draft.element);
    return draft;
}

/// Fills in the attributes of the types, bases first.
class TypeResolver {
public:
    TypeResolver(ParseContext& context, std::vector<DraftType>& drafts)
        : context_(context), drafts_(drafts), state_(drafts.size(), State::open) {}

    void resolve_all() {
        for (std::size_t i = 0; i < drafts_.size(); ++i) resolve(i);
    }

private:
    enum class State { open, active, done };

    void resolve(std::size_t index) {
        std::vector<std::size_t> chain;
        for (std::optional<std::size_t> at = index; at && state_[*at] != State::done;
             at = base_of(*at)) {
            if (state_[*at] == State::active)
                context_.refuse(drafts_[*at].element.line(),
                                fmt::format("the type {} is declared by way of itself",
                                            quoted(drafts_[*at].definition.name)),
                                "remove declaredType from one of the types in the circle");
            state_[*at] = State::active;
            chain.push_back(*at);
        }
        for (auto at = chain.rbegin(); at != chain.rend(); ++at) fill(*at);
    }

    std::optional<std::size_t> base_of(std::size_t index) const {
        const auto found = context_.type_index.find(drafts_[index].base);
        if (drafts_[index].base.empty() || found == context_.type_index.end()) return std::nullopt;
        return found->second;
    }

    void fill(std::size_t index) {
        DraftType& draft = drafts_[index];
        const auto base = base_of(index);
        Attributes attributes(context_, draft.element);
        attributes.ignore({"name", "description", "maxSize", "declaredType"});
        draft.definition.attributes = read_type_attributes(
            attributes, base ? drafts_[*base].definition.attributes : TypeAttributes{});
        if (draft.definition.type == ValueType::clock)
            context_.clock_types[draft.definition.name] = read_clock(attributes, {});
        if (draft.definition.type == ValueType::binary)
            context_.mime_types[draft.definition.name] = attributes.text("mimeType");
        attributes.finish();
        state_[index] = State::done;
    }

    ParseContext& context_;
    std::vector<DraftType>& drafts_;
    std::vector<State> state_;
};

}  // namespace

std::optional<ValueType> type_of_element(Version version, std::string_view name) {
    if (name.ends_with("Type")) name.remove_suffix(4);
    if (version != Version::v3) {
        if (name == "Real") return ValueType::float64;
        if (name == "Integer") return ValueType::int32;
        if (name == "Boolean") return ValueType::boolean;
        if (name == "String") return ValueType::string;
        if (name == "Enumeration") return ValueType::enumeration;
        return std::nullopt;
    }
    for (int i = 0; i <= static_cast<int>(ValueType::clock); ++i)
        if (to_string(static_cast<ValueType>(i)) == name) return static_cast<ValueType>(i);
    return std::nullopt;
}

TypeAttributes read_type_attributes(Attributes& attributes, const TypeAttributes& inherited) {
    TypeAttributes result = inherited;
    const auto override_text = [&](const char* name, std::string& field) {
        if (const auto value = attributes.find(name)) field = *value;
    };
    const auto override_number = [&](const char* name, std::optional<double>& field) {
        if (const auto value = attributes.number<double>(name)) field = value;
    };
    override_text("quantity", result.quantity);
    override_text("unit", result.unit);
    override_text("displayUnit", result.display_unit);
    result.relative_quantity = attributes.flag("relativeQuantity", inherited.relative_quantity);
    result.unbounded = attributes.flag("unbounded", inherited.unbounded);
    override_number("min", result.min);
    override_number("max", result.max);
    override_number("nominal", result.nominal);
    return result;
}

void read_units(ParseContext& context, XmlElement root) {
    std::unordered_set<std::string> names;
    for (const XmlElement element : root.child("UnitDefinitions").children()) {
        Unit unit = read_unit(context, element);
        if (names.insert(unit.name).second)
            context.model.units.push_back(std::move(unit));
        else
            context.warn(element.line(),
                         fmt::format("the unit {} is defined twice", quoted(unit.name)),
                         "the first definition is used");
    }
}

void read_types(ParseContext& context, XmlElement root) {
    std::vector<DraftType> drafts;
    for (const XmlElement element : root.child("TypeDefinitions").children()) {
        std::optional<DraftType> draft = read_type(context, element);
        if (!draft) continue;
        if (context.type_index.emplace(draft->definition.name, drafts.size()).second)
            drafts.push_back(std::move(*draft));
        else
            context.warn(
                element.line(),
                fmt::format("the type {} is defined twice", quoted(draft->definition.name)),
                "the first definition is used");
    }
    TypeResolver(context, drafts).resolve_all();
    for (DraftType& draft : drafts) context.model.types.push_back(std::move(draft.definition));
}

}  // namespace tandem::fmi
