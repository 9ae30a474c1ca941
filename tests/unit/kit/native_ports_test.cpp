#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <vector>

#include "kit/native_variables.hpp"

using namespace tandem;
using namespace tandem::kit;

namespace {

class Adder : public Model {
public:
    StructuralParameter n{*this, "n", 2};
    Input<float> small{*this, "small", 0.25F};
    Input<double[]> u{*this, "u", {n}, 1.0};
    Output<double> sum{*this, "sum"};

    void outputs() override { sum = std::accumulate(u.begin(), u.end(), double{small}); }
};

const ModelClass& adder() {
    static const ModelClass known = make_model_class<Adder>("Adder", {});
    return known;
}

void resize(Engine& engine, std::uint64_t n) {
    for (Record& record : engine.records())
        if (record.name == "n") *static_cast<std::uint64_t*>(record.data) = n;
    engine.apply_structure();
}

double sum_of(Engine& engine, NativePorts& outputs) {
    std::array<double, 1> y{};
    get_ports(engine, outputs, y);
    return y[0];
}

TEST(NativePorts, go_to_where_the_values_are_after_arrays_have_moved) {
    Engine engine(adder(), {});
    engine.enter_initialisation(0.0);
    NativePorts inputs = all_inputs(engine.records()), outputs = all_outputs(engine.records());
    set_ports(engine, inputs, std::vector{10.0, 20.0, 0.5});
    EXPECT_EQ(sum_of(engine, outputs), 30.5);
    std::vector<std::byte> two;
    engine.save(two);

    resize(engine, 1000);
    EXPECT_EQ(sum_of(engine, outputs), 30.5 + 998.0);
    inputs = all_inputs(engine.records());
    std::vector<double> ones(1001, 1.0);
    set_ports(engine, inputs, ones);
    EXPECT_EQ(sum_of(engine, outputs), 1001.0);

    engine.restore(two);
    inputs = all_inputs(engine.records());
    EXPECT_EQ(sum_of(engine, outputs), 30.5);
    set_ports(engine, inputs, std::vector{1.0, 2.0, 4.0});
    EXPECT_EQ(sum_of(engine, outputs), 7.0);

    engine.reset();
    engine.enter_initialisation(0.0);
    EXPECT_EQ(sum_of(engine, outputs), 2.25);
    set_ports(engine, inputs, std::vector{3.0, 4.0, 0.0});
    EXPECT_EQ(sum_of(engine, outputs), 7.0);
}

}  // namespace
