#include <tandem/model.hpp>

enum class Mode { off = 1, slow = 2, fast = 3 };

/// Every output is the input of its type.
class Feedthrough : public tandem::Model {
public:
    template <class T>
    struct Pair {
        Pair(Feedthrough& model, const std::string& type, T start,
             const tandem::Attributes& attributes = {})
            : in(model, type + "_in", start, attributes),
              out(model, type + "_out", start, attributes) {
            model.depends(out, {in});
        }
        void pass() { out = in.value(); }
        Input<T> in;
        Output<T> out;
    };
    const tandem::Attributes modes{
        .enumeration = "Mode",
        .literals = {
            {"off", 1, "stands still"}, {"slow", 2, "moves"}, {"fast", 3, "moves faster"}}};

    Parameter<double> fixed_parameter{*this, "fixed_parameter", 1.0, {.unit = "N.m"}};
    Parameter<double> tunable_parameter{*this, "tunable_parameter", 2.0, {.tunable = true}};
    Parameter<std::string> text_parameter{*this, "text_parameter", "a <text> & more"};
    StructuralParameter n{*this, "n", 3, {.description = "length of the vectors", .min = 1.0}};

    Pair<double> float64{*this, "float64", 0.0, {.unit = "degC"}};
    Pair<double> sampled{*this, "sampled", 0.0, {.discrete = true}};
    Pair<float> float32{*this, "float32", 0.0F};
    Pair<std::int8_t> int8{*this, "int8", 0};
    Pair<std::uint8_t> uint8{*this, "uint8", 0};
    Pair<std::int16_t> int16{*this, "int16", 0};
    Pair<std::uint16_t> uint16{*this, "uint16", 0};
    Pair<std::int32_t> int32{*this, "int32", 0, {.min = -1000.0, .max = 1000.0}};
    Pair<std::uint32_t> uint32{*this, "uint32", 0};
    Pair<std::int64_t> int64{*this, "int64", 0};
    Pair<std::uint64_t> uint64{*this, "uint64", 0};
    Pair<bool> boolean{*this, "boolean", false};
    Pair<std::string> string{*this, "string", "set me"};
    Pair<Binary> binary{*this, "binary", {0x66, 0x6f, 0x6f}};
    Pair<Mode> enumeration{*this, "enumeration", Mode::slow, modes};
    Input<double[]> matrix_in{*this, "matrix_in", {2, 2}, {1.0, 2.0, 3.0, 4.0}};
    Output<double[]> matrix_out{*this, "matrix_out", {2, 2}};
    Input<double[]> vector_in{*this, "vector_in", {n}, 0.5};
    Output<double[]> vector_out{*this, "vector_out", {n}};
    Input<std::int32_t[]> integers_in{*this, "integers_in", {n}, 7};
    Output<std::int32_t[]> integers_out{*this, "integers_out", {n}};

    Feedthrough() {
        depends(matrix_out, {matrix_in});
        depends(vector_out, {vector_in});
        depends(integers_out, {integers_in});
    }
    void outputs() override {
        float64.pass(), sampled.pass(), float32.pass(), int8.pass(), uint8.pass(), int16.pass();
        uint16.pass(), int32.pass(), uint32.pass(), int64.pass(), uint64.pass(), boolean.pass();
        string.pass(), binary.pass(), enumeration.pass();
        std::copy(matrix_in.begin(), matrix_in.end(), matrix_out.begin());
        std::copy(vector_in.begin(), vector_in.end(), vector_out.begin());
        std::copy(integers_in.begin(), integers_in.end(), integers_out.begin());
    }
};

TANDEM_MODEL(Feedthrough, {.description = "Every output is the input of its type",
                           .stop = 2.0,
                           .step_size = 0.1})
