#include "kit/engine.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "kit/elements.hpp"

using namespace tandem;
using namespace tandem::kit;

namespace {

enum class Colour { red = 1, green, blue };

/// One remembered variable of every type, and an oscillator with a known Jacobian.
class Everything : public Model {
public:
    Parameter<double> w{*this, "w", 2.0, {.tunable = true}};
    StructuralParameter n{*this, "n", 2};
    Input<double> u{*this, "u", 0.5};
    State x{*this, "x", 1.0, {.output = true}};
    State v{*this, "v", 0.0};
    StateArray many{*this, "many", {n}, 1.0};
    Output<double> power{*this, "power"};
    Discrete<float> f{*this, "f", 1.5F};
    Discrete<std::int8_t> i8{*this, "i8", -8};
    Discrete<std::uint64_t> u64{*this, "u64", ~std::uint64_t{0}};
    Discrete<bool> b{*this, "b", true};
    Discrete<std::string> s{*this, "s", "text"};
    Discrete<Binary> bytes{*this, "bytes", {0, 255, 7}};
    Discrete<Colour> colour{
        *this, "colour", Colour::green, {.literals = {{"red", 1}, {"green", 2}, {"blue", 3}}}};
    Discrete<std::string[]> words{*this, "words", {2}, {"one", "two"}};

    Everything() { has_exact_jacobian(); }
    void initialise() override { next_event(time() + 1.0); }
    void derivatives() override {
        x.der = v;
        v.der = -w * w * x + u;
        for (std::size_t i = 0; i < many.size(); ++i) many.der[i] = -many[i];
    }
    void outputs() override { power = v * u; }
    void event() override {
        if (!time_event()) return;
        s = s.value() + "!";
        v = 0.0;
    }
    void jacobian(Jacobian& j) override {
        j(x.der, v) = 1.0;
        j(v.der, x) = -w * w;
        j(v.der, u) = 1.0;
        j(power, v) = u;
        j(power, u) = v;
        for (std::size_t i = 0; i < many.size(); ++i) j({many.der, i}, {many, i}) = -1.0;
    }
};

const ModelClass& everything() {
    static const ModelClass known = make_model_class<Everything>("Everything", {});
    return known;
}

/// Switches once, as far as the clock says.
class Switched : public Model {
public:
    Discrete<bool> on{*this, "on", false};

    void initialise() override { event(); }
    void event() override {
        on = time() >= 1.0;
        if (!on) next_event(1.0);
    }
};

std::size_t record(Engine& engine, const std::string& name) {
    for (std::size_t i = 0; i < engine.records().size(); ++i)
        if (engine.records()[i].name == name) return i;
    throw std::runtime_error("no record " + name);
}

void start(Engine& engine) {
    engine.enter_initialisation(0.0);
    engine.exit_initialisation();
    engine.update();
}

}  // namespace

TEST(Engine, evaluates_what_a_variable_needs_when_it_is_read) {
    Engine engine(everything(), {});
    start(engine);
    std::vector<double> dx(engine.state_count());
    engine.get_derivatives(dx);
    EXPECT_EQ(dx, (std::vector<double>{0.0, -3.5, -1.0, -1.0}));
    const std::vector<double> x = {1.0, 3.0, 2.0, 2.0};
    engine.set_states(x);
    engine.refresh(Role::output);
    EXPECT_EQ(read_real(engine.records()[record(engine, "power")], 0), 1.5);
}

TEST(Engine, restores_variables_of_every_type_exactly) {
    Engine engine(everything(), {});
    start(engine);
    std::vector<std::byte> before;
    engine.save(before);
    engine.set_time(1.0);
    const Update update = engine.update();
    EXPECT_FALSE(update.next_event_time);
    auto& records = engine.records();
    EXPECT_EQ(read_text(records[record(engine, "s")], 0), "text!");
    write_integer(records[record(engine, "u64")], 0, 5);
    write_text(records[record(engine, "bytes")], 0, "longer than before");
    write_text(records[record(engine, "words")], 1, "three");
    write_integer(records[record(engine, "colour")], 0, 3);

    engine.restore(before);
    EXPECT_EQ(read_text(records[record(engine, "s")], 0), "text");
    EXPECT_EQ(read_integer(records[record(engine, "u64")], 0), -1);
    EXPECT_EQ(read_text(records[record(engine, "bytes")], 0), std::string("\0\xff\x07", 3));
    EXPECT_EQ(read_text(records[record(engine, "words")], 1), "two");
    EXPECT_EQ(read_integer(records[record(engine, "colour")], 0), 2);
    std::vector<std::byte> after;
    engine.save(after);
    EXPECT_EQ(before, after);
    EXPECT_EQ(engine.next_event_time(), 1.0);
}

TEST(Engine, handles_an_event_a_rounding_error_ahead_at_the_time_of_the_event) {
    static const ModelClass switched = make_model_class<Switched>("Switched", {});
    Engine engine(switched, {});
    start(engine);
    engine.set_time(std::nextafter(1.0, 0.0));
    ASSERT_TRUE(engine.time_event_has_come());
    EXPECT_FALSE(engine.update().next_event_time);
    EXPECT_EQ(read_integer(engine.records()[record(engine, "on")], 0), 1);
}

TEST(Engine, refuses_a_state_that_is_cut_off_or_too_long) {
    Engine engine(everything(), {});
    start(engine);
    std::vector<std::byte> bytes;
    engine.save(bytes);
    EXPECT_THROW(engine.restore(std::span(bytes).first(bytes.size() - 1)), std::runtime_error);
    bytes.push_back(std::byte{0});
    EXPECT_THROW(engine.restore(bytes), std::runtime_error);
}

TEST(Engine, sizes_arrays_by_structural_parameters) {
    Engine engine(everything(), {});
    write_integer(engine.records()[record(engine, "n")], 0, 5);
    engine.apply_structure();
    EXPECT_EQ(engine.state_count(), 7U);
    EXPECT_EQ(read_real(engine.records()[record(engine, "many")], 4), 1.0);
    std::vector<std::byte> bytes;
    engine.save(bytes);
    Engine other(everything(), {});
    other.restore(bytes);
    EXPECT_EQ(other.state_count(), 7U);
}

TEST(Engine, gives_the_same_sensitivities_exactly_and_by_differences) {
    Engine exact(everything(), {});
    start(exact);
    const std::vector<double> x = {0.3, -0.7, 1.0, 2.0};
    exact.set_states(x);
    const std::vector<Slot> knowns = {
        {record(exact, "x"), 0, 1}, {record(exact, "v"), 0, 1}, {record(exact, "u"), 0, 1}};
    const std::vector<Slot> unknowns = {{record(exact, "der(v)"), 0, 1},
                                        {record(exact, "power"), 0, 1},
                                        {record(exact, "x"), 0, 1}};
    const std::vector<double> seed = {0.5, -1.0, 2.0};
    std::vector<double> result(3);
    exact.directional_derivative(unknowns, knowns, seed, result);
    // d(der v) = -4 * 0.5 + 2 = 0; d(power) = u dv + v du = -0.5 - 1.4; dx = 0.5
    EXPECT_DOUBLE_EQ(result[0], 0.0);
    EXPECT_DOUBLE_EQ(result[1], -1.9);
    EXPECT_DOUBLE_EQ(result[2], 0.5);

    // A parameter among the knowns: central differences, whose error is about 1e-10.
    std::vector<Slot> with_parameter = knowns;
    with_parameter.push_back({record(exact, "w"), 0, 1});
    const std::vector<double> longer_seed = {0.5, -1.0, 2.0, 1.0};
    exact.directional_derivative(unknowns, with_parameter, longer_seed, result);
    EXPECT_NEAR(result[0], -2.0 * 2.0 * 0.3, 1e-8);
    EXPECT_NEAR(result[1], -1.9, 1e-8);
    EXPECT_NEAR(result[2], 0.5, 1e-8);
}

/// Its output cannot be computed above x + u = 1.
class Bounded : public Model {
public:
    Input<double> u{*this, "u"};
    State x{*this, "x", 1.0};
    Output<double> y{*this, "y"};
    void derivatives() override { x.der = 1.0; }
    void outputs() override {
        if (x + u > 1.0) discard("out of bounds");
        y = x;
    }
};

TEST(Engine, is_where_it_was_when_a_sensitivity_cannot_be_computed) {
    const ModelClass bounded = make_model_class<Bounded>("Bounded", {});
    Engine engine(bounded, {});
    start(engine);
    const std::vector<Slot> y = {{record(engine, "y"), 0, 1}}, u = {{record(engine, "u"), 0, 1}};
    const std::vector<double> one = {1.0};
    std::vector<double> result(1);
    const auto expect_unmoved = [&] {
        double x = 0.0;
        engine.get_states(std::span(&x, 1));
        EXPECT_EQ(x, 1.0);
        EXPECT_EQ(engine.time(), 0.0);
        EXPECT_EQ(read_real(engine.records()[u[0].record], 0), 0.0);
    };
    EXPECT_THROW(engine.directional_derivative(y, u, one, result), Discard);
    expect_unmoved();
    EXPECT_THROW(engine.time_derivative(y, u, one, result), Discard);
    expect_unmoved();
}

TEST(Engine, refuses_an_integer_that_does_not_fit) {
    Engine engine(everything(), {});
    EXPECT_THROW(write_integer(engine.records()[record(engine, "i8")], 0, 200), std::range_error);
}
