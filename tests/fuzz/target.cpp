#include "target.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <stdexcept>

#include "assemble/load/input_table.hpp"
#include "base/log.hpp"
#include "description/flatten.hpp"
#include "description/read/parameter_files.hpp"
#include "description/read/read.hpp"
#include "description/read/read_context.hpp"
#include "expression/bounds.hpp"
#include "expression/expression.hpp"
#include "files/csv_reader.hpp"
#include "files/temporary_folder.hpp"
#include "fmi/description/parse.hpp"
#include "fmi/sources/build_plan.hpp"
#include "foreign_targets.hpp"
#include "record/run_record.hpp"
#include "report/results.hpp"
#include "tandem/error.hpp"

namespace tandem::fuzz {
namespace {

bool is_about_the_format(const std::string& problem) {
    const auto holds = [&](const char* text) { return problem.find(text) != std::string::npos; };
    return holds("is not well-formed XML") || holds("is not valid TOML") || holds("is not JSON") ||
           holds("is not valid UTF-8") || holds("a control character") || holds("is encoded in");
}

Reached reached(const Diagnostics& findings) {
    return std::ranges::any_of(
               findings,
               [](const Diagnostic& finding) { return is_about_the_format(finding.problem); })
               ? Reached::door
               : Reached::inside;
}

template <class Action>
Reached tried(const Action& action) {
    try {
        action();
    } catch (const InputErrors& errors) {
        return reached(errors.findings());
    } catch (const InputError& error) {
        return is_about_the_format(error.problem()) ? Reached::door : Reached::inside;
    }
    return Reached::inside;
}

Reached read_model_description(std::string_view text) {
    return tried([&] {
        Diagnostics findings;
        fmi::parse_model_description(text, "modelDescription.xml", findings);
    });
}

/// In the folder of an FMU that has one of the sources that it may name.
Reached read_build_description(std::string_view text) {
    static const TemporaryFolder folder;
    const std::filesystem::path sources = folder.path() / "sources";
    std::filesystem::create_directories(sources / "headers");
    std::ofstream(sources / "decay.c");
    std::ofstream(sources / "buildDescription.xml", std::ios::binary) << text;
    fmi::ModelDescription description;
    description.version = fmi::Version::v3;
    return tried([&] { fmi::plan_build({folder.path(), description, "Decay", "x.fmu"}); });
}

/// Systems are read from a file, because they refer to files, also to themselves. It stays open: to
/// make it anew each time would take as long as many texts need.
class SystemFile {
public:
    explicit SystemFile(const char* name)
        : path_(folder_.path() / name),
          descriptor_(::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600)) {}
    ~SystemFile() { ::close(descriptor_); }
    SystemFile(const SystemFile&) = delete;
    SystemFile& operator=(const SystemFile&) = delete;

    Reached read(std::string_view text) const {
        const bool is_written =
            ::ftruncate(descriptor_, 0) == 0 &&
            ::pwrite(descriptor_, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size());
        expects(is_written, "the text is in the file");
        Diagnostics findings;
        const description::SystemDescription description =
            description::read_system(path_, findings);
        const Reached how_far = reached(findings);
        description::flatten(description, findings, {.sources_must_exist = false});
        return how_far;
    }

private:
    TemporaryFolder folder_;
    std::filesystem::path path_;
    int descriptor_;
};

Reached read_system_toml(std::string_view text) {
    static const SystemFile file("s.toml");
    return file.read(text);
}

Reached read_ssd(std::string_view text) {
    static const SystemFile file("s.ssd");
    return file.read(text);
}

/// Values, mapping or dictionary, whatever its root says.
Reached read_ssp_values(std::string_view text) {
    return tried([&] {
        Diagnostics findings;
        const description::TextFile file{"v.xml", "v.xml", std::string(text)};
        description::ParameterBinding binding;
        description::SignalDictionary dictionary;
        if (text.find("ParameterMapping") != std::string_view::npos)
            description::read_parameter_mapping(file, "s.ssd:1", binding, findings);
        else if (text.find("SignalDictionary") != std::string_view::npos)
            description::read_signal_dictionary(file, "s.ssd:1", dictionary, findings);
        else
            description::read_parameter_values(file, "s.ssd:1", binding, findings);
        throw_errors(findings);
    });
}

VariableInfo input(const char* name, ValueType type, std::size_t size) {
    VariableInfo info;
    info.name = name;
    info.type = type;
    info.size = size;
    info.is_input = true;
    info.is_continuous = type == ValueType::float64;
    return info;
}

/// As results, and as inputs of an FMU.
Reached read_csv(std::string_view text) {
    const Reached as_results = tried([&] { report::parse_results(text, "r.csv"); });
    static const std::vector<VariableInfo> variables = {
        input("u", ValueType::float64, 1), input("a", ValueType::float64, 3),
        input("n", ValueType::int32, 1), input("b", ValueType::boolean, 1),
        input("s", ValueType::string, 1)};
    tried([&] {
        const assemble::InputTable table(CsvReader(std::string(text), "i.csv"), variables, {});
        for (std::size_t i = 0; i < table.columns().size(); ++i)
            if (storage_of(table.columns()[i].type) == Storage::reals)
                table.real_at(i, 0.5 * (table.times().begin + table.times().end),
                              assemble::Side::after);
    });
    return as_results;
}

Reached read_run_json(std::string_view text) {
    return tried([&] { to_json(run_record_from_json(text, "run.json")); });
}

Reached read_osp(std::string_view text) {
    return tried([&] { read_osp_text(text); });
}
Reached read_master_sim(std::string_view text) {
    return tried([&] { read_master_sim_text(text); });
}
Reached read_maestro(std::string_view text) {
    return tried([&] { read_maestro_text(text); });
}

/// Whether the outcome of a node at t is certain: not a matter of rounding errors.
bool is_certain(const expression::ExpressionTree& tree, int node, double t) {
    const expression::ExpressionNode& n = tree.at(node);
    const expression::Range operand = expression::ExpressionBounds(tree).at(n.a, t);
    const double margin = 10.0 * operand.width();
    if (operand.may_be_nan || !std::isfinite(margin)) return false;
    if (n.op == expression::Op::floor)
        return std::floor(operand.low - margin) == std::floor(operand.high + margin);
    return operand.low > margin || operand.high < -margin;
}

/// Between switching times nothing switches: judged by samples.
void compare_with_samples(const expression::Expression& expression,
                          const expression::ExpressionTree& tree) {
    double t = 0.0;
    for (int stop = 0; stop < 5 && t < 1.0; ++stop) {
        if (first_change(tree, tree.timed_switches, {t + 1e-15, 1.0, 2000}).sampled_from < 1.0)
            return;
        const double next = std::min(expression.next_switch(t, 1.0), 1.0);
        for (const int node : tree.timed_switches) {
            const double held = expression.outcome(tree.at(node).index, t, {}, {});
            for (int i = 1; i < 16; ++i) {
                const double s = t + (next - t) * i / 16.0;
                if (s - t < 1e-12 || next - s < 1e-12 || !is_certain(tree, node, s)) continue;
                expects(tree.value(node, {.t = s}) == held, "nothing switches in between");
            }
        }
        t = next;
    }
}

/// What is held is right where it was taken.
void hold_outcomes(const expression::Expression& expression, std::span<const double> signals) {
    std::vector<double> held(static_cast<std::size_t>(expression.switch_count()), std::nan(""));
    for (int k = 0; k < expression.switch_count(); ++k)
        held[static_cast<std::size_t>(k)] = expression.outcome(k, 0.25, signals, held);
    for (int k = 0; k < expression.switch_count(); ++k)
        expects(expression.is_timed(k) || expression.indicator(k, 0.25, signals, held) > 0.0,
                "an outcome that was just taken is right");
    expression.evaluate(0.25, signals, held);
}

Reached read_expression(std::string_view text) {
    set_log_level(LogLevel::off);
    return tried([&] {
        const std::vector<std::string> names = {"a", "b", "x"};
        const expression::Expression expression(std::string(text), names, "s.toml:1");
        const double signals[] = {1.0, -2.0, 0.5};
        expression.evaluate(0.25, signals);
        hold_outcomes(expression, signals);
        const expression::ExpressionTree tree = expression::parse_expression(text, names, {});
        if (tree.nodes.size() > 200) return;
        compare_with_samples(expression, tree);
        if (first_change(tree, tree.kinks, {1e-15, 1.0, 2000}).sampled_from > 1.0)
            expression.next_kink(0.0, 1.0);
    });
}

}  // namespace

const std::vector<Target>& targets() {
    static const std::vector<Target> all = {
        {"build_description",
         read_build_description,
         {"BuildConfiguration",
          "modelIdentifier",
          "platform",
          "x86_64-linux",
          "SourceFileSet",
          "language",
          "compiler",
          "compilerOptions",
          "SourceFile",
          "name",
          "../decay.c",
          "PreprocessorDefinition",
          "value",
          "optional",
          "true",
          "IncludeDirectory",
          "Library",
          "external",
          "version",
          "C++17"}},
        {"model_description",
         read_model_description,
         {"ScalarVariable",
          "Real",
          "Float64",
          "Int32",
          "String",
          "Binary",
          "Clock",
          "Dimension",
          "valueReference",
          "causality",
          "variability",
          "initial",
          "input",
          "output",
          "parameter",
          "structuralParameter",
          "calculatedParameter",
          "independent",
          "local",
          "continuous",
          "discrete",
          "tunable",
          "fixed",
          "constant",
          "exact",
          "approx",
          "derivative",
          "reinit",
          "declaredType",
          "unit",
          "start",
          "dependencies",
          "dependenciesKind",
          "index",
          "Unknown",
          "Output",
          "ContinuousStateDerivative",
          "InitialUnknown",
          "EventIndicator",
          "Alias",
          "clocks",
          "intervalVariability",
          "previous",
          "canHandleMultipleSetPerTimeInstant",
          "ModelExchange",
          "CoSimulation",
          "ScheduledExecution",
          "SimpleType",
          "Item",
          "BaseUnit"}},
        {"system_toml",
         read_system_toml,
         {"subsystems",     "systems",      "connections", "functions",  "events",
          "sources",        "tlm",          "bonds",       "connectors", "parameters",
          "parameter_sets", "dictionaries", "references",  "signals",    "source",
          "from",           "to",           "factor",      "offset",     "unit",
          "units",          "enumerations", "experiment",  "coupling",   "step_control",
          "record",         "report",       "method",      "kind",       "type",
          "value",          "expression",   "target",      "indicator",  "actions",
          "times",          "direction",    "delay",       "impedance",  "stiffness",
          "ends",           "flow",         "effort",      "wave",       "'s.toml'",
          "'s.ssv'",        "true",         "[1, 2]",      "{}",         "\"m/s\"",
          "input",          "output"}},
        {"ssd",
         read_ssd,
         {"ssd:System",
          "ssd:Elements",
          "ssd:Component",
          "ssd:Connectors",
          "ssd:Connector",
          "ssd:Connections",
          "ssd:Connection",
          "ssd:SignalDictionaryReference",
          "ssc:Real",
          "ssc:Integer",
          "ssc:Boolean",
          "ssc:Enumeration",
          "ssc:String",
          "ssc:Binary",
          "ssc:LinearTransformation",
          "ssc:MapEntry",
          "startElement",
          "startConnector",
          "endElement",
          "endConnector",
          "startIndices",
          "kind",
          "inout",
          "input",
          "output",
          "parameter",
          "source",
          "#inner",
          "s.ssd",
          "type",
          "id",
          "name",
          "unit",
          "factor",
          "ssv:ParameterSet",
          "ssv:Parameter",
          "ssm:MappingEntry",
          "prefix"}},
        {"ssp_values",
         read_ssp_values,
         {"ssv:Parameter",
          "ssv:Real",
          "ssv:Integer",
          "ssv:Boolean",
          "ssv:String",
          "ssv:Enumeration",
          "ssv:Binary",
          "ssc:Dimension",
          "size",
          "value",
          "unit",
          "name",
          "ssm:MappingEntry",
          "source",
          "target",
          "ssc:LinearTransformation",
          "ssc:EnumerationMappingTransformation",
          "ssc:MapEntry",
          "ssb:DictionaryEntry",
          "mime-type",
          "ssc:Unit",
          "ssc:BaseUnit",
          "ssc:Item"}},
        {"csv",
         read_csv,
         {"time", "u", "a[1]", "a[2]", "n", "b", "s", "u [m/s]", "nan", "inf", "true", "false",
          "\"x\"\"y\"", ";", "\t", "#"}},
        {"run_json",
         read_run_json,
         {"\"format\"", "\"format_version\"", "\"subsystems\"", "\"connections\"", "\"bonds\"",
          "\"groups\"", "\"results\"", "\"columns\"", "\"parameters\"", "\"priority\"", "null",
          "true", "[]", "{}", "\"complete\"", "\"failed\"", "1e999", "-1"}},
        {"osp",
         read_osp,
         {"Simulator", "VariableConnection", "Sum", "VectorSum", "SignalGroupConnection", "in[0]",
          "out", "inputCount", "dimension", "stepSize", "1e999", "-1", "a.fmu", "powerBond"}},
        {"master_sim",
         read_master_sim,
         {"simulator", "graph", "parameter", "tEnd", "a", "ms", "NEWTON", "GAUSS_JACOBI", "CHECK",
          "NONE", "\"", "\\n", "#", "a.y", "1e999", "-1", "\n"}},
        {"maestro",
         read_maestro,
         {"\"fmus\"", "\"multiModel\"", "\"executionParameters\"", "\"{a}.one.y\"", "\"size\"",
          "\"step_size\"", "null", "[]", "{}", "1e999", "-1", "true", "\"multimodel_path\""}},
        {"expression", read_expression, {"a",   "b.c",   "x",  "t",   "sin", "exp", "sqrt",
                                         "min", "max",   "if", "?",   ":",   "&&",  "||",
                                         "==",  "<=",    "!=", "^",   "_pi", "_e",  "(",
                                         ")",   "1e308", ",",  "abs", "sum", "rint"}},
    };
    return all;
}

const Target& target(std::string_view name) {
    for (const Target& known : targets())
        if (known.name == name) return known;
    throw std::out_of_range("there is no target " + std::string(name));
}

}  // namespace tandem::fuzz
