#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/names.hpp"
#include "base/utf8.hpp"
#include "foreign/master_sim.hpp"
#include "foreign/values.hpp"
#include "tandem/value.hpp"

namespace tandem::foreign {
namespace {

constexpr std::string_view blanks = " \t";
const std::vector<std::string> keywords = {"tStart",
                                           "tEnd",
                                           "hMax",
                                           "hMin",
                                           "hFallBackLimit",
                                           "hStart",
                                           "hOutputMin",
                                           "outputTimeUnit",
                                           "adjustStepSize",
                                           "preventOversteppingOfEndTime",
                                           "absTol",
                                           "relTol",
                                           "MasterMode",
                                           "ErrorControlMode",
                                           "maxIterations",
                                           "writeInternalVariables",
                                           "writeUnconnectedFileReaderVars",
                                           "binaryOutputFiles",
                                           "outputOnly"};

/// Words separated by blanks; quotes hold one together.
std::vector<std::string> words_of(std::string_view line, const Place& place) {
    std::vector<std::string> words;
    for (std::size_t at = 0; (at = line.find_first_not_of(blanks, at)) != std::string_view::npos;) {
        const bool is_quoted = line[at] == '"';
        if (is_quoted) ++at;
        std::size_t end = is_quoted ? line.find('"', at) : line.find_first_of(blanks, at);
        if (is_quoted && end == std::string_view::npos)
            throw InputError(place, "opens a quote that does not end", "write \" behind the name");
        end = std::min(end, line.size());
        words.emplace_back(line.substr(at, end - at));
        at = end + (is_quoted ? 1 : 0);
    }
    return words;
}

class Parser {
public:
    Parser(std::string_view text, const std::string& file) : text_(text), file_(file) {}

    MasterSimProject parse() {
        for (std::size_t at = 0; at < text_.size(); ++line_) {
            const std::size_t end = std::min(text_.find('\n', at), text_.size());
            read_line(text_.substr(at, end - at));
            at = end + 1;
        }
        check_names();
        return std::move(project_);
    }

private:
    Place place() const { return fmt::format("{}:{}", file_, line_); }

    void read_line(std::string_view raw) {
        if (!is_utf8_text(raw))
            throw InputError(place(), "is not valid UTF-8", "save the project as UTF-8");
        const std::string_view line = trimmed(raw);
        if (line.empty() || line[0] == '#') return;
        const std::size_t end = std::min(line.find_first_of(blanks), line.size());
        const std::string_view keyword = line.substr(0, end), rest = trimmed(line.substr(end));
        if (keyword == "simulator") return read_simulator(rest);
        if (keyword == "graph") return read_edge(rest);
        if (keyword == "parameter") return read_parameter(rest);
        if (std::ranges::find(keywords, keyword) == keywords.end())
            throw InputError(place(), fmt::format("unknown keyword '{}'", keyword),
                             did_you_mean(keyword, keywords,
                                          "a project has lines like 'tEnd 10 s', 'simulator ...', "
                                          "'graph ...'"));
        if (rest.empty())
            throw InputError(place(), fmt::format("'{}' has no value", keyword),
                             "write <keyword> <value>");
        project_.options[std::string(keyword)] = {std::string(rest), place()};
    }

    void read_simulator(std::string_view rest) {
        const std::vector<std::string> words = words_of(rest, place());
        Values cycle;
        if (words.size() != 5 || !append_text(ValueType::uint16, words[1], cycle))
            throw InputError(place(), "is not a simulator",
                             "write simulator <number> <cycle> <name> <colour> \"<file>\"");
        if (!names_.insert(words[2]).second)
            throw InputError(place(), fmt::format("there are two simulators '{}'", words[2]),
                             "give each a name of its own");
        project_.simulators.push_back({cycle.integers.front(), words[2], words[4], place()});
    }

    Port port_of(const std::string& text) const {
        const auto dot = text.find('.');
        Port port{text.substr(0, dot), dot == std::string::npos ? "" : text.substr(dot + 1)};
        if (port.subsystem.empty() || port.variable.empty())
            throw InputError(place(), fmt::format("'{}' is not a variable of a simulator", text),
                             "write <simulator>.<variable>");
        return port;
    }

    void read_edge(std::string_view rest) {
        const std::vector<std::string> words = words_of(rest, place());
        if (words.size() != 2 && words.size() != 4 && words.size() != 6)
            throw InputError(place(), "is not a connection",
                             "write graph <output> <input> [<offset> <factor>]");
        MasterSimProject::Edge edge{port_of(words[0]), port_of(words[1]), 0.0, 1.0, place()};
        if (words.size() >= 4) {
            const auto offset = number_of(words[2]), factor = number_of(words[3]);
            if (!offset || !factor)
                throw InputError(place(), "the offset or the scale factor is not a number",
                                 "write graph <output> <input> <offset> <factor>");
            edge.offset = *offset;
            edge.factor = *factor;
        }
        project_.edges.push_back(std::move(edge));
    }

    void read_parameter(std::string_view rest) {
        const std::size_t end = rest.find_first_of(blanks);
        if (end == std::string_view::npos)
            throw InputError(place(), "is not a parameter",
                             "write parameter <simulator>.<parameter> <value>");
        std::string value = unescaped(trimmed(rest.substr(end)));
        if (value.size() > 1 && value.front() == '"' && value.back() == '"')
            value = value.substr(1, value.size() - 2);
        project_.parameters.push_back({port_of(std::string(rest.substr(0, end))), value, place()});
    }

    /// MasterSim replaces \\ by \ first and then \n by a line break.
    static std::string unescaped(std::string_view text) {
        const auto replaced = [](std::string_view in, std::string_view what, char by) {
            std::string out;
            for (std::size_t i = 0; i < in.size(); ++i)
                if (in.substr(i, 2) == what)
                    out += by, ++i;
                else
                    out += in[i];
            return out;
        };
        return replaced(replaced(text, "\\\\", '\\'), "\\n", '\n');
    }

    void check_names() const {
        const auto check = [&](const Port& port, const Place& where) {
            if (!names_.contains(port.subsystem))
                throw InputError(where, fmt::format("there is no simulator '{}'", port.subsystem),
                                 did_you_mean(port.subsystem, {names_.begin(), names_.end()},
                                              "add its 'simulator' line"));
        };
        for (const auto& edge : project_.edges)
            check(edge.from, edge.place), check(edge.to, edge.place);
        for (const auto& parameter : project_.parameters)
            check(parameter.variable, parameter.place);
        if (names_.empty())
            throw InputError(file_, "has no simulators",
                             "a MasterSim project has lines 'simulator ... \"x.fmu\"'");
    }

    std::string_view text_;
    std::string file_;
    int line_ = 1;
    std::set<std::string> names_;
    MasterSimProject project_;
};

}  // namespace

MasterSimProject parse_master_sim(std::string_view text, const std::string& place) {
    return Parser(text, place).parse();
}

}  // namespace tandem::foreign
