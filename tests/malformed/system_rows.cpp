#include "system_rows.hpp"

namespace tandem::test {

std::vector<Row> name_rows() {
    return {
        {"unknown_subsystem",
         connected("'wheel.F -> chasis.F'"),
         {"s.toml:1: connection wheel.F -> chasis.F: there is no 'chasis.F'"},
         {"did you mean 'chassis'?"}},
        {"unknown_variable",
         connected("'wheel.F_raod -> chassis.F'"),
         {"s.toml:1: subsystem 'wheel' has no variable 'F_raod'"},
         {"did you mean 'F_road'?"}},
        {"unknown_variables_at_both_ends",
         connected("\n'wheel.force -> chassis.F',\n'chassis.x -> wheel.x_bdy'"),
         {"s.toml:2: subsystem 'wheel' has no variable 'force'",
          "s.toml:3: subsystem 'wheel' has no variable 'x_bdy'"},
         {"did you mean 'x_body'?"}},
        {"unknown_coupling",
         toml(car + "[coupling]\nmethod = 'jacoby'\n"),
         {"s.toml:7: there is no coupling 'jacoby'"},
         {"did you mean 'jacobi'?"}},
        {"unknown_option_of_the_coupling",
         toml(car + "[coupling]\nmethod = 'jacobi'\nodrer = 1\n"),
         {"s.toml:9: coupling 'jacobi' has no option 'odrer'"},
         {"did you mean 'order'?"}},
        {"option_of_the_coupling_out_of_range",
         toml(car + "[coupling]\nmethod = 'jacobi'\norder = 7\nsmooth = 'very'\n"),
         {"s.toml:9: ", "s.toml:10: "}},
        {"unknown_subsystem_in_the_sequence",
         toml(car + "[coupling]\nmethod = 'gauss_seidel'\nsequence = ['wheel', 'chasis']\n"),
         {"s.toml:7: sequence: there is no subsystem 'chasis'",
          "s.toml:7: sequence: it must name every subsystem once"},
         {"did you mean 'chassis'?"}},
        {"unknown_key",
         toml(car + "[record]\nvariable = ['wheel.*']\n"),
         {"s.toml:8: [record]: unknown key 'variable'"},
         {"did you mean 'variables'?"}},
        {"unknown_table_and_key",
         toml(car + "[recording]\nx = 1\n[subsystems.other]\nsource = "
                    "'fmus/Ground_fmi2.fmu'\nsovler = 'cvode'\n"),
         {"s.toml:7: system file: unknown table 'recording'",
          "s.toml:11: [subsystems.other]: unknown key 'sovler'"},
         {"did you mean 'record'?", "did you mean 'solver'?"}},
        {"unknown_type",
         toml(chassis + "type = 'fmi'\n" + stop),
         {"s.toml:3: unknown type 'fmi'"},
         {"did you mean 'fmu'?"}},
        {"unknown_solver",
         toml(chassis + "kind = 'me'\nsolver = 'cvodes'\n" + stop),
         {"s.toml:4: solver 'cvodes' is not known"},
         {"choose one of cvode"}},
        {"solver_of_a_cs_fmu",
         toml(chassis + "kind = 'cs'\nsolver = 'cvode'\n" + stop),
         {"s.toml:4: a Co-Simulation FMU brings its own solver"},
         {"leave out 'solver'"}},
        {"solver_settings_of_a_cs_fmu",
         toml(chassis + "kind = 'cs'\nmax_order = 2\n" + wheel +
              "kind = 'cs'\nabsolute_tolerance = 1e-9\n" + stop),
         {"s.toml:4: a Co-Simulation FMU brings its own solver",
          "s.toml:8: a Co-Simulation FMU brings its own solver"},
         {"leave out 'max_order'", "leave out 'absolute_tolerance'"}},
        {"solver_settings_that_a_method_does_not_have",
         toml(chassis + "kind = 'me'\nsolver = 'euler'\nmax_order = 2\n" + wheel +
              "kind = 'me'\nsolver = 'cvode'\nmax_order = 6\n" +
              "[subsystems.c]\nsource = 'fmus/Wheel_fmi2.fmu'\nkind = 'me'\nsolver = 'rk4'\n"
              "first_step = 0.1\n[subsystems.d]\nsource = 'fmus/Wheel_fmi2.fmu'\nkind = 'me'\n"
              "first_step = 0.1\nmax_step = 0.01\n" +
              stop),
         {"s.toml:5: the solver euler has one order only",
          "s.toml:10: max_order = 6 is above the highest order 5 of the solver cvode",
          "s.toml:15: the solver rk4 takes equal steps",
          "s.toml:19: first_step = 0.1 is longer than max_step = 0.01"},
         {"use cvode or cvode_adams", "give 1 to 5", "give 'step'"}},
        {"absolute_tolerance_without_error_control",
         toml(chassis + "kind = 'me'\nsolver = 'euler'\nabsolute_tolerance = 1\n" + stop),
         {"s.toml:5: 'absolute_tolerance' of 'chassis': the solver euler takes equal steps"},
         {"use cvode"}},
        {"solver_settings_of_the_coupling_that_its_method_does_not_have",
         toml(chassis + "kind = 'me'\n" + stop +
              "[coupling]\nmethod = 'aggregate'\nsolver = 'dopri5'\nmax_order = 3\n"),
         {"s.toml:9: coupling 'aggregate': the solver dopri5 has one order only"},
         {"use cvode or cvode_adams"}},
        {"sizes_of_what_has_none",
         toml(pass +
              "nominal = { float64_in = 1, float_in = 2, int32_in = 3, fixed_parameter = 4, "
              "'float64_in[2]' = 5 }\n" +
              chassis + "kind = 'me'\nabsolute_tolerance.y = 1\nabsolute_tolerance.F = 1\n" + stop),
         {"s.toml:3: subsystem 'pass' has no variable 'float_in'",
          "s.toml:3: 'nominal': 'pass.int32_in' is not real",
          "s.toml:3: 'nominal': 'pass.fixed_parameter' is a parameter",
          "s.toml:3: 'pass.float64_in[2]': there is no such element",
          "s.toml:7: subsystem 'chassis' has no variable 'y'",
          "s.toml:8: 'absolute_tolerance': 'chassis.F' is no continuous state"},
         {"did you mean 'float64_in'?", "its states are x, v"}},
        {"unknown_record_patterns",
         toml(car + "[record]\nvariables = ['wheel.*', 'chasis.x', 'nothing*']\n"),
         {"s.toml:7: no variable matches 'chasis.x', which is to be recorded",
          "s.toml:7: no variable matches 'nothing*', which is to be recorded"},
         {"did you mean 'chassis.x'?"}},
        {"plots_of_what_is_not_recorded",
         toml(car + "[record]\nvariables = ['chassis.x', 'chassis.v']\n"
                    "[[plots]]\ntitle = 'phase'\nx = 'chassis.c'\ny = ['chassis.v']\n"
                    "[[plots]]\ny = ['wheel.*', 'chasis.v']\n"),
         {"s.toml:9: plot 'phase': 'chassis.c' is not recorded",
          "s.toml:13: plot: 'wheel.*' is not recorded",
          "s.toml:13: plot: 'chasis.v' is not recorded"},
         {"did you mean 'chassis.v'?"}},
        {"reference_without_a_common_column",
         {{"s.toml", car + "[report]\nreference = 'r.csv'\n"}, {"r.csv", "time,x [m]\n0,1\n"}},
         {"s.toml:8: 'r.csv' has no column that is recorded"},
         {"time,subsystem.variable"}},
        {"reference_that_is_no_table",
         {{"s.toml", car + "[report]\nreference = 'r.csv'\n"}, {"r.csv", ""}},
         {"s.toml:8: r.csv"}},
        {"reference_that_is_not_there",
         toml(car + "[report]\nreference = 'r.csv'\n"),
         {"s.toml:8: [report]: there is no file 'r.csv'"},
         {"relative to the system file"}},
        {"events_that_cannot_be",
         toml(car + "[[events]]\nindicator = 'x'\ntimes = [2, 1]\nsignals = { x = 'wheel.x' }\n"
                    "actions = { 'chasis.v' = '0' }\n[[events]]\nindicator = 't'\n"
                    "direction = 'risin'\n"),
         {"s.toml:7: event: has both an indicator and times",
          "s.toml:9: event: the times must ascend, but 1 follows 2",
          "s.toml:11: event: there is no 'chasis.v'",
          "s.toml:14: [[events]]: unknown direction 'risin'", "s.toml:12: event: does nothing",
          "s.toml:7: only models that are solved together can have events between them"},
         {"did you mean 'chassis'?", "did you mean 'rising'?"}},
        {"two_problems_with_two_subsystems_and_one_with_the_times",
         toml("connections = ['wheel.F -> chassis.G']\n" + chassis + wheel +
              "parameters = { mass = 3 }\n[experiment]\nstep = -1\nstop = 1\n"),
         {"s.toml:1: subsystem 'chassis' has no variable 'G'",
          "s.toml:6: subsystem 'wheel' has no variable 'mass'",
          "s.toml:8: [experiment]: 'step' must be greater than 0, but is -1"}},
    };
}

std::vector<Row> connection_rows() {
    return {
        {"text_to_number",
         connected("'pass.string_out -> pass.float64_in'", pass + stop),
         {"s.toml:1: pass.string_out -> pass.float64_in: String cannot become Float64"},
         {"connect variables of the same kind"}},
        {"binary_to_text",
         connected("'pass.binary_out -> pass.string_in'", pass + stop),
         {"s.toml:1: pass.binary_out -> pass.string_in: Binary cannot become String"}},
        {"unit_clash",
         connected("'chassis.v -> wheel.x_body', 'wheel.x -> chassis.F'"),
         {"s.toml:1: connection chassis.v -> wheel.x_body: unit 'm/s' cannot become 'm'",
          "s.toml:1: connection wheel.x -> chassis.F: unit 'm' cannot become 'N'"},
         {"suppress_unit_conversion"}},
        {"input_fed_twice",
         connected("\n'wheel.F -> chassis.F',\n'wheel.F_road -> chassis.F'"),
         {"s.toml:3: 'chassis.F' is driven twice, here and at s.toml:2"},
         {"remove one of them"}},
        {"input_fed_by_connection_and_source",
         connected("'wheel.F -> chassis.F'",
                   car + "[[sources]]\ntarget = 'chassis.F'\nexpression = 't'\n"),
         {"s.toml:8: 'chassis.F' is driven twice, here and at s.toml:1"}},
        {"element_fed_twice",
         connected("\n'pass.vector_out -> pass.vector_in',\n'pass.float64_out -> "
                   "pass.vector_in[2]'",
                   pass + stop),
         {"s.toml:3: 'pass.vector_in[2]' is driven twice, here and at s.toml:2"}},
        {"input_as_source",
         connected("'chassis.F -> wheel.x_body'"),
         {"s.toml:1: 'chassis.F' is an input and cannot be a source"},
         {"write the output first"}},
        {"output_as_target",
         connected("'wheel.F -> chassis.a'"),
         {"s.toml:1: 'chassis.a' is an output and cannot be connected to"},
         {"only inputs can be connected to"}},
        {"parameter_as_target",
         connected("'wheel.F -> chassis.m'"),
         {"s.toml:1: 'chassis.m' is a parameter and cannot be connected to"},
         {"set it under parameters"}},
        {"array_to_scalar",
         connected("'pass.vector_out -> pass.float64_in'", pass + stop),
         {"s.toml:1: pass.vector_out -> pass.float64_in: 3 values cannot become 1"},
         {"connect a slice"}},
        {"bad_slices",
         connected("\n'pass.vector_out[4] -> pass.float64_in',\n"
                   "'pass.matrix_out[1,3] -> pass.sampled_in',\n"
                   "'pass.matrix_out[1,1,1] -> pass.float32_in',\n"
                   "'pass.vector_out[3:1] -> pass.int32_in',\n"
                   "'pass.vector_out[0] -> pass.int64_in'",
                   pass + stop),
         {"s.toml:2: 'pass.vector_out[4]': there is no such element",
          "s.toml:3: 'pass.matrix_out[1,3]': there is no such element",
          "s.toml:4: 'pass.matrix_out[1,1,1]': there is no such element",
          "s.toml:5: subsystem 'pass' has no variable 'vector_out[3:1]'",
          "s.toml:6: subsystem 'pass' has no variable 'vector_out[0]'"},
         {"vector_out has 3 values", "matrix_out has 2 x 2 values"}},
        {"bad_table_of_values",
         connected("{ from = 'pass.enumeration_out', to = 'pass.int32_in', map = { slo = 3, fast = "
                   "'x' } }",
                   pass + stop),
         {"s.toml:1: pass.enumeration_out -> pass.int32_in: 'slo' is not a value of "
          "'pass.enumeration_out'",
          "s.toml:1: pass.enumeration_out -> pass.int32_in: 'x' is not a value of "
          "'pass.int32_in'"},
         {"did you mean 'slow'?", "use true, false or integers"}},
        {"table_of_values_for_a_real",
         connected("{ from = 'wheel.F', to = 'chassis.F', map = { 1 = 2 } }"),
         {"s.toml:1: wheel.F -> chassis.F: a table of values needs a boolean, integer or "
          "enumeration as source"},
         {"factor and offset"}},
        {"bad_expression",
         toml(car + "[[functions]]\ntarget = 'chassis.F'\nexpression = 'F + * g'\nsignals = { F = "
                    "'wheel.F' }\n"),
         {"s.toml:7: expression 'F + * g': "},
         {"it may use t, F"}},
        {"expression_with_an_unknown_name",
         toml(car + "[[functions]]\ntarget = 'chassis.F'\nexpression = 'F + g'\nsignals = { F = "
                    "'wheel.F' }\n"),
         {"s.toml:7: expression 'F + g': "},
         {"it may use t, F"}},
        {"function_of_the_wrong_unit",
         toml(car + "[[sources]]\ntarget = 'chassis.F'\nexpression = 't'\nunit = 'm'\n"),
         {"s.toml:7: function for 'chassis.F': unit 'm' cannot become 'N'"},
         {"give the unit that the expression has"}},
        {"function_of_a_text",
         toml(pass + stop +
              "[[functions]]\ntarget = 'pass.float64_in'\nexpression = 'a'\nsignals = { a = "
              "'pass.string_out' }\n"),
         {"s.toml:5: 'pass.string_out' is not one real output"},
         {"functions take real outputs"}},
        {"bond_without_its_connections",
         connected("'wheel.F -> chassis.F'",
                   car + "[[bonds]]\neffort = 'wheel.F -> chassis.F'\nflow = 'chassis.v -> "
                         "wheel.v_body'\n"),
         {"s.toml:8: bond: there is no connection 'chassis.v -> wheel.v_body'"}},
    };
}

std::vector<Row> value_rows() {
    const auto given = [](const std::string& list) {
        return toml(pass + "parameters = { " + list + " }\n" + stop);
    };
    return {
        {"unknown_parameter",
         toml(chassis + "parameters = { M_body = 3 }\n" + stop),
         {"s.toml:3: subsystem 'chassis' has no variable 'M_body'"}},
        {"parameter_of_an_unknown_subsystem",
         toml(car + "[parameters]\nwheell.m = 3\n"),
         {"s.toml:8: parameter 'wheell.m': nothing has this name"},
         {"did you mean 'wheel'?"}},
        {"settings_of_solvers_with_wrong_values",
         toml(chassis +
              "kind = 'me'\nnominal = 'big'\nabsolute_tolerance = -1\nmax_order = 0\n"
              "first_step = nan\nmax_steps = 2.5\n" +
              wheel + "max_steps = 2000000000\nfirst_step = 0\nnominal = []\n" + stop),
         {"s.toml:4: [subsystems.chassis]: 'nominal' must be a number or a table of numbers, but "
          "is "
          "a text",
          "s.toml:5: [subsystems.chassis]: 'absolute_tolerance' must be greater than 0, but is -1",
          "s.toml:6: [subsystems.chassis]: 'max_order' must be at least 1, but is 0",
          "s.toml:7: [subsystems.chassis]: 'first_step' must be a finite number",
          "s.toml:8: [subsystems.chassis]: 'max_steps' must be an integer, but is a number",
          "s.toml:11: [subsystems.wheel]: 'max_steps' must be at least 1 and at most a billion",
          "s.toml:12: [subsystems.wheel]: 'first_step' must be greater than 0, but is 0",
          "s.toml:13: [subsystems.wheel]: 'nominal' must be a number or a table of numbers, but is "
          "a list"},
         {"write nominal = { p = 1e5 }"}},
        {"sizes_that_are_none",
         toml(chassis +
              "kind = 'me'\nnominal = { x = 0, v = inf, F = 'one', a.b = -2, c.d = 1, "
              "'c.d' = 2, e = {} }\nabsolute_tolerance = { x = nan, v = true }\n" +
              stop),
         {"s.toml:4: [subsystems.chassis]: 'nominal': 'x' must be a finite number greater than 0, "
          "but is 0",
          "s.toml:4: [subsystems.chassis]: 'nominal': 'v' must be a finite number greater than 0, "
          "but is inf",
          "s.toml:4: [subsystems.chassis]: 'nominal': 'F' must be a finite number greater than 0, "
          "but is a text",
          "s.toml:4: [subsystems.chassis]: 'nominal': 'a.b' must be a finite number greater than "
          "0, but is -2",
          "s.toml:4: [subsystems.chassis]: 'nominal': 'c.d' is given twice",
          "s.toml:4: [subsystems.chassis]: 'nominal': 'e' must be a finite number greater than 0, "
          "but is a table",
          "s.toml:5: [subsystems.chassis]: 'absolute_tolerance': 'x' must be a finite number "
          "greater than 0, but is nan",
          "s.toml:5: [subsystems.chassis]: 'absolute_tolerance': 'v' must be a finite number "
          "greater than 0, but is true or false"},
         {"write nominal = { p = 1e5 }", "write absolute_tolerance = 1e-9"}},
        {"settings_of_the_coupling_with_wrong_values",
         toml(chassis + "kind = 'me'\n" + stop +
              "[coupling]\nmethod = 'aggregate'\nmax_order = 13\nfirst_step = -1\nmax_steps = "
              "'many'\nabsolute_tolerance = inf\n"),
         {"s.toml:8: option 'max_order' of coupling 'aggregate' must be a whole number from 0 to "
          "12",
          "s.toml:9: option 'first_step' of coupling 'aggregate' must be a number of at least 0",
          "s.toml:10: option 'max_steps' of coupling 'aggregate' must be a whole number",
          "s.toml:11: option 'absolute_tolerance' of coupling 'aggregate' must be a number of at "
          "least 0, not inf"}},
        {"parameters_of_wrong_types",
         given("fixed_parameter = 'one', text_parameter = 3, int32_in = 2.5, float32_in = true"),
         {"s.toml:3: parameter pass.fixed_parameter: String cannot become Float64",
          "s.toml:3: parameter pass.text_parameter: Int64 cannot become String",
          "s.toml:3: parameter pass.int32_in: 2.5 is not a value of type Int32",
          "s.toml:3: parameter pass.float32_in: Boolean cannot become Float32"},
         {"give a value of type Float64"}},
        {"parameters_out_of_the_range_of_their_types",
         given("int8_in = 300, uint8_in = -1, boolean_in = 2"),
         {"s.toml:3: parameter pass.int8_in: 300 is not a value of type Int8",
          "s.toml:3: parameter pass.uint8_in: -1 is not a value of type UInt8",
          "s.toml:3: parameter pass.boolean_in: 2 is not a value of type Boolean"}},
        {"unknown_items_of_an_enumeration",
         toml(pass + "parameters = { enumeration_in = 'fsat' }\n" + stop +
              "[subsystems.other]\nsource = 'fmus/Feedthrough_fmi2.fmu'\n"
              "parameters.enumeration_in = 9\n"),
         {"s.toml:3: parameter pass.enumeration_in: 'fsat' is not an item of its enumeration",
          "s.toml:8: parameter other.enumeration_in: 9 is not the number of an item of its "
          "enumeration"},
         {"did you mean 'fast'?", "the items are off (1), slow (2), fast (3)"}},
        {"wrong_number_of_values",
         given("vector_in = [1, 2], 'vector_in[2]' = [1, 2]"),
         {"s.toml:3: parameter pass.vector_in: 2 values are given for 3",
          "s.toml:3: parameter pass.vector_in[2]: 2 values are given for 1"}},
        {"parameter_of_the_wrong_unit",
         toml(chassis + "parameters = { m = { value = 3, unit = 'm' } }\n" + stop),
         {"s.toml:3: parameter chassis.m: unit 'm' cannot become 'kg'"},
         {"a unit of the same kind"}},
        {"variable_that_is_calculated",
         toml(chassis + "parameters = { a = 3, time = 1 }\n" + stop),
         {"s.toml:3: parameter chassis.a: is calculated by the FMU",
          "s.toml:3: parameter chassis.time: is the time"},
         {"parameters, inputs and start values of states can be set"}},
        {"settings_of_the_command_line",
         toml(car),
         {"--set wheell.m=3: there is no subsystem 'wheell'",
          "--set wheel.mm=3: subsystem 'wheel' has no variable 'mm'",
          "--set wheel.m=three: parameter wheel.m: 'three' is not a value of type Float64",
          "--set wheel: is not of the form subsystem.variable=value"},
         {"did you mean 'wheel'?", "did you mean 'm'?"},
         "--set wheell.m=3 --set wheel.mm=3 --set wheel.m=three --set wheel",
         true},
        {"bad_values_file",
         {{"s.toml", chassis + "[[subsystems.chassis.parameter_sets]]\nsource = 'v.ssv'\n" + stop},
          {"v.ssv",
           "<ParameterSet version='1.0' name='p'><Parameters>\n"
           "<Parameter name='m'><Real value='heavy'/></Parameter>\n"
           "<Parameter name='x'><Real value='1'/></Parameter>\n"
           "<Parameter><Real value='1'/></Parameter>\n"
           "</Parameters></ParameterSet>"}},
         {"v.ssv:2: <Real>: 'heavy' is not a value of type Float64",
          "v.ssv:4: <Parameter>: attribute 'name' is missing"}},
        {"values_file_that_is_no_xml",
         {{"s.toml", chassis + "[[subsystems.chassis.parameter_sets]]\nsource = 'v.ssv'\n" + stop},
          {"v.ssv", "m = 3"}},
         {"v.ssv:1: is not well-formed XML"},
         {"correct the file, or export it again"}},
        {"bad_mapping_file",
         {{"s.toml", chassis +
                         "[[subsystems.chassis.parameter_sets]]\nvalues = { mass = 3 }\n"
                         "mapping = 'n.ssm'\n" +
                         stop},
          {"n.ssm",
           "<ParameterMapping version='1.0'>\n<MappingEntry source='mass'/>\n"
           "<MappingEntry source='mass' target='m'><LinearTransformation factor='x'/>"
           "</MappingEntry></ParameterMapping>"}},
         {"n.ssm:2: <MappingEntry>: attribute 'target' is missing",
          "n.ssm:3: <LinearTransformation>: attribute 'factor' must be a number, but is 'x'"}},
        {"bad_dictionary_file",
         {{"s.toml", car + "[dictionaries.bus]\nsource = 'bus.ssb'\n"},
          {"bus.ssb",
           "<SignalDictionary version='1.0'>\n<DictionaryEntry><Real/></DictionaryEntry>\n"
           "</SignalDictionary>"}},
         {"bus.ssb:2: <DictionaryEntry>: attribute 'name' is missing"}},
        {"missing_files_of_parameters",
         toml(chassis +
              "[[subsystems.chassis.parameter_sets]]\nsource = 'no.ssv'\nmapping = 'no.ssm'\n" +
              stop),
         {"s.toml:4: 'no.ssv' cannot be read", "s.toml:5: 'no.ssm' cannot be read"},
         {"there is no such file"}},
    };
}

}  // namespace tandem::test
