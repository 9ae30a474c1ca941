#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tandem {

class Model;

/// The value of a binary variable.
using Binary = std::vector<std::uint8_t>;

/// One literal of an enumeration.
struct Literal {
    std::string name{};
    std::int64_t value = 0;
    std::string description{};
};

/// What a variable may say about itself. Everything has a default; write only what matters:
/// `{.unit = "m/s", .description = "speed"}`.
struct Attributes {
    std::string unit{};  ///< "m/s2", "N.m", "bar", ...
    std::string description{};
    std::optional<double> nominal{};  ///< the size that makes the value dimensionless
    std::optional<double> min{}, max{};
    bool output = false;    ///< a state, local or discrete variable that is an output as well
    bool discrete = false;  ///< a real input or output that changes at events only
    bool tunable = false;   ///< a parameter that may change while the model runs
    std::string quantity{};
    std::string mime_type{};          ///< of a binary variable
    std::string enumeration{};        ///< name of the enumeration type
    std::vector<Literal> literals{};  ///< of the enumeration; needed for enumeration variables
};

/// A clock that ticks every `interval` seconds (first at start + shift), or, without an interval,
/// when somebody says so: the environment (an input) or the model itself (`output = true`).
struct ClockAttributes {
    double interval = 0.0;
    double shift = 0.0;
    bool output = false;
    std::string description{};
};

namespace kit {

enum class Type {
    float32,
    float64,
    int8,
    uint8,
    int16,
    uint16,
    int32,
    uint32,
    int64,
    uint64,
    boolean,
    string,
    binary,
    enumeration,
    clock,
};

enum class Role {
    time,
    structural_parameter,
    parameter,
    input,
    output,
    local,
    discrete,
    state,
    derivative,
    clock,
    indicator,
};

template <class T>
constexpr Type type_of() {
    if constexpr (std::is_enum_v<T>) return Type::enumeration;
    if constexpr (std::is_same_v<T, float>) return Type::float32;
    if constexpr (std::is_same_v<T, double>) return Type::float64;
    if constexpr (std::is_same_v<T, bool>) return Type::boolean;
    if constexpr (std::is_same_v<T, std::string>) return Type::string;
    if constexpr (std::is_same_v<T, Binary>) return Type::binary;
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
        constexpr int width = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 2 : sizeof(T) == 4 ? 4 : 6;
        return static_cast<Type>(static_cast<int>(Type::int8) + width +
                                 (std::is_unsigned_v<T> ? 1 : 0));
    }
}

class VariableBase;

/// One extent of an array: a number or a structural parameter.
class Extent {
public:
    template <class T, class = std::enable_if_t<std::is_integral_v<T>>>
    Extent(T number)
        : size(static_cast<std::size_t>(number)) {}    // NOLINT: `{2, n}` is the notation
    Extent(const VariableBase& structural_parameter);  // NOLINT

    std::size_t size = 1;
    std::optional<std::size_t> parameter;  ///< index of its record
};

/// What the model knows of one variable: its place in memory and its description.
struct Record {
    std::string name;
    Type type = Type::float64;
    Role role = Role::local;
    Attributes attributes{};
    std::size_t width = sizeof(double);  ///< bytes of one element
    void* data = nullptr;                ///< the first element
    std::size_t size = 1;                ///< number of elements
    std::vector<Extent> extents{};       ///< empty: a scalar
    std::optional<std::size_t> state{};  ///< of a derivative: the record of its state
    /// Records this output, derivative or indicator depends on; nothing: on everything.
    std::optional<std::vector<std::size_t>> dependencies{};
    ClockAttributes clock{};
    void* owner = nullptr;
    void (*resize)(void* owner, Record& record, std::size_t size) = nullptr;
};

/// The part every variable shares: its number among the model's records.
class VariableBase {
public:
    VariableBase(const VariableBase&) = delete;
    std::size_t record() const { return record_; }

protected:
    VariableBase(Model& model, Record record);
    VariableBase& operator=(const VariableBase&) { return *this; }
    friend class Extent;
    ~VariableBase() = default;
    Record& record_of() const;

private:
    Model* model_;
    std::size_t record_;
};

/// A scalar that registers itself in its model and otherwise behaves like a T.
template <class T>
class Variable : public VariableBase {
public:
    operator const T&() const { return value_; }  // NOLINT: behaves like a T
    const T& value() const { return value_; }
    const T* operator->() const { return &value_; }
    Variable& operator=(const Variable& other) {
        value_ = other.value_;
        return *this;
    }
    Variable& operator=(const T& value) {
        value_ = value;
        return *this;
    }
    Variable& operator+=(const T& value) {
        value_ = static_cast<T>(value_ + value);
        return *this;
    }
    Variable& operator-=(const T& value) {
        value_ = static_cast<T>(value_ - value);
        return *this;
    }
    Variable& operator++() {
        ++value_;
        return *this;
    }

protected:
    Variable(Model& model, Record record, T start)
        : VariableBase(model, complete(std::move(record))), value_(std::move(start)) {}

private:
    Record complete(Record record) {
        record.type = record.role == Role::clock ? Type::clock : type_of<T>();
        record.width = sizeof(T);
        record.data = &value_;
        return record;
    }
    T value_;
};

/// An array that registers itself in its model; row-major when it has more than one dimension.
template <class T>
class Variable<T[]> : public VariableBase {
public:
    T& operator[](std::size_t i) { return values_[i]; }
    const T& operator[](std::size_t i) const { return values_[i]; }
    std::size_t size() const { return size_; }
    T* begin() { return values_.get(); }
    T* end() { return values_.get() + size_; }
    const T* begin() const { return values_.get(); }
    const T* end() const { return values_.get() + size_; }
    Variable& operator=(const Variable& other) {
        for (std::size_t i = 0; i < size_ && i < other.size_; ++i) values_[i] = other.values_[i];
        return *this;
    }

protected:
    Variable(Model& model, Record record, std::vector<T> start, T fill)
        : VariableBase(model, std::move(record)), fill_(std::move(fill)) {
        Record& own = record_of();
        own.type = type_of<T>();
        own.width = sizeof(T);
        own.owner = this;
        own.resize = [](void* owner, Record& changed, std::size_t size) {
            static_cast<Variable*>(owner)->resize(changed, size);
        };
        std::size_t size = 1;
        for (const Extent& extent : own.extents) size *= extent.size;
        resize(own, size);
        for (std::size_t i = 0; i < start.size() && i < size; ++i) values_[i] = std::move(start[i]);
    }

private:
    void resize(Record& record, std::size_t size) {
        auto values = std::make_unique<T[]>(size);
        for (std::size_t i = 0; i < size; ++i)
            values[i] = i < size_ ? std::move(values_[i]) : fill_;
        values_ = std::move(values);
        size_ = size;
        record.data = values_.get();
        record.size = size;
    }
    std::unique_ptr<T[]> values_{};
    std::size_t size_ = 0;
    T fill_;
};

inline Record make_record(std::string name, Role role, Attributes attributes,
                          std::vector<Extent> extents = {}) {
    Record record;
    record.name = std::move(name);
    record.role = role;
    record.attributes = std::move(attributes);
    record.extents = std::move(extents);
    return record;
}

/// A variable with a role: what Parameter, Input, Output, Local and Discrete are made of.
template <class T, Role role>
class RoleVariable : public Variable<T> {
public:
    RoleVariable(Model& model, std::string name, T start = T{}, Attributes attributes = {})
        : Variable<T>(model, make_record(std::move(name), role, std::move(attributes)),
                      std::move(start)) {}
    using Variable<T>::operator=;
    RoleVariable& operator=(const RoleVariable&) = default;
};

template <class T, Role role>
class RoleVariable<T[], role> : public Variable<T[]> {
public:
    RoleVariable(Model& model, std::string name, std::vector<Extent> extents, T fill = T{},
                 Attributes attributes = {})
        : Variable<T[]>(
              model, make_record(std::move(name), role, std::move(attributes), std::move(extents)),
              {}, std::move(fill)) {}
    RoleVariable(Model& model, std::string name, std::vector<Extent> extents,
                 std::initializer_list<T> start, Attributes attributes = {})
        : Variable<T[]>(
              model, make_record(std::move(name), role, std::move(attributes), std::move(extents)),
              start, T{}) {}
    RoleVariable& operator=(const RoleVariable&) = default;
};

inline Record derivative_record(const std::string& state, const Attributes& attributes,
                                std::vector<Extent> extents = {}) {
    Attributes own;
    own.description = "derivative of " + state;
    if (!attributes.unit.empty()) own.unit = attributes.unit + "/s";
    if (attributes.unit == "m/s") own.unit = "m/s2";
    if (attributes.unit == "rad/s") own.unit = "rad/s2";
    own.nominal = attributes.nominal;
    return make_record("der(" + state + ")", Role::derivative, std::move(own), std::move(extents));
}

/// The derivative of a State. Assigned in Model::derivatives().
template <class T>
class Derivative : public Variable<T> {
public:
    Derivative(Model& model, Record record, const VariableBase& state) requires(!std::is_array_v<T>)
        : Variable<T>(model, of(std::move(record), state), T{}) {}
    Derivative(Model& model, Record record, const VariableBase& state) requires(std::is_array_v<T>)
        : Variable<T>(model, of(std::move(record), state), {}, {}) {}
    using Variable<T>::operator=;
    Derivative& operator=(const Derivative&) = default;

private:
    static Record of(Record record, const VariableBase& state) {
        record.state = state.record();
        return record;
    }
};

/// A continuous state x with its derivative x.der.
class State : public Variable<double> {
public:
    State(Model& model, const std::string& name, double start = 0.0, Attributes attributes = {})
        : Variable<double>(model, make_record(name, Role::state, attributes), start),
          der(model, derivative_record(name, attributes), *this) {}
    using Variable<double>::operator=;
    State& operator=(const State& other) {
        Variable<double>::operator=(other);
        return *this;
    }

    Derivative<double> der;
};

/// An array of continuous states x[i] with derivatives x.der[i].
class StateArray : public Variable<double[]> {
public:
    StateArray(Model& model, const std::string& name, std::vector<Extent> extents,
               std::initializer_list<double> start, Attributes attributes = {})
        : Variable<double[]>(model, make_record(name, Role::state, attributes, extents), start,
                             0.0),
          der(model, derivative_record(name, attributes, extents), *this) {}
    StateArray(Model& model, const std::string& name, std::vector<Extent> extents,
               double fill = 0.0, Attributes attributes = {})
        : Variable<double[]>(model, make_record(name, Role::state, attributes, extents), {}, fill),
          der(model, derivative_record(name, attributes, extents), *this) {}

    Derivative<double[]> der;
};

/// Active during Model::event() when it ticks. An output clock is assigned there by the model.
class Clock : public Variable<bool> {
public:
    Clock(Model& model, std::string name, ClockAttributes attributes = {})
        : Variable<bool>(model, clock_record(std::move(name), attributes), false) {}
    using Variable<bool>::operator=;

private:
    static Record clock_record(std::string name, const ClockAttributes& attributes) {
        Record record = make_record(std::move(name), Role::clock, {});
        record.attributes.description = attributes.description;
        record.clock = attributes;
        return record;
    }
};

}  // namespace kit
}  // namespace tandem
