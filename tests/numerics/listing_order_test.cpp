#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <regex>

#include "support/system_file.hpp"

namespace tandem {
namespace {

using test::SystemFile;
using test::TextColumns;

/// An example in parts that can be listed in any order.
struct Parts {
    std::vector<std::string> connections;
    std::vector<std::string> subsystems;
    std::string rest;

    std::string text() const {
        std::string text = "connections = [\n";
        for (const std::string& connection : connections) text += connection + ",\n";
        text += "]\n" + rest;
        for (const std::string& subsystem : subsystems) text += subsystem;
        return text;
    }
};

Parts parts_of(const std::string& example) {
    const std::string path = TANDEM_SOURCE_DIR "/examples/" + example + "/system.toml";
    const std::string text = std::regex_replace(
        read_text_file(path), std::regex(R"(\.\./\.\./build/release/fmus)"), TANDEM_FMU_DIR);
    Parts parts;
    const std::size_t head = text.find("\n[") + 1;
    const std::regex connection(R"("[^"]+ -> [^"]+")");
    for (std::sregex_iterator it(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(head),
                                 connection);
         it != std::sregex_iterator(); ++it)
        parts.connections.push_back(it->str());
    for (std::size_t begin = head; begin < text.size();) {
        const std::size_t next = std::min(text.find("\n[", begin), text.size() - 1) + 1;
        const std::string section = text.substr(begin, next - begin);
        if (section.starts_with("[subsystems."))
            parts.subsystems.push_back(section);
        else
            parts.rest += section;
        begin = next;
    }
    return parts;
}

struct Case {
    std::string example;
    double stop;  ///< late enough for every subsystem to move
    std::size_t subsystems, connections;
};

class ListingOrder : public ::testing::TestWithParam<Case> {
protected:
    static TextColumns results(const std::string& text, const std::vector<std::string>& options) {
        SystemFile file(text);
        run::SystemRunOptions run = file.options();
        run.stop = GetParam().stop;
        run.coupling = "jacobi";
        run.options = options;
        return file.run_text(std::move(run));
    }
    static void expect_no_influence(const Parts& parts) {
        std::mt19937 random(3);
        for (const std::string order : {"0", "1", "2"})
            for (const std::string smooth : {"false", "true"}) {
                SCOPED_TRACE("order " + order + ", smooth " + smooth);
                const std::vector<std::string> options = {"order=" + order, "smooth=" + smooth};
                const TextColumns once = results(parts.text(), options);
                ASSERT_GT(once.at("time").size(), 100U);
                EXPECT_EQ(results(parts.text(), options), once) << "run again";
                Parts backwards = parts;
                std::ranges::reverse(backwards.subsystems);
                std::ranges::reverse(backwards.connections);
                EXPECT_EQ(results(backwards.text(), options), once) << "backwards";
                Parts shuffled = parts;
                std::ranges::shuffle(shuffled.subsystems, random);
                std::ranges::shuffle(shuffled.connections, random);
                EXPECT_EQ(results(shuffled.text(), options), once) << "shuffled";
            }
    }
};

INSTANTIATE_TEST_SUITE_P(Examples, ListingOrder,
                         ::testing::Values(Case{"quarter_car", 0.8, 3, 5},
                                           Case{"controlled_plant", 0.3, 3, 3},
                                           Case{"oscillator_ring", 1.0, 10, 40}),
                         [](const auto& one) { return one.param.example; });

TEST_P(ListingOrder, does_not_change_a_bit_of_the_results) {
    const Parts parts = parts_of(GetParam().example);
    ASSERT_EQ(parts.subsystems.size(), GetParam().subsystems);
    ASSERT_EQ(parts.connections.size(), GetParam().connections);
    expect_no_influence(parts);
}

TEST_P(ListingOrder, does_not_change_a_bit_of_the_results_of_hosted_models) {
    Parts parts = parts_of(GetParam().example);
    for (std::string& subsystem : parts.subsystems) {
        subsystem = std::regex_replace(subsystem, std::regex("_fmi1_cs"), "_fmi1_me");
        subsystem = std::regex_replace(subsystem, std::regex("kind = \"cs\""), "kind = \"me\"");
    }
    expect_no_influence(parts);
}

// An algebraic loop through the subsystems, solved at the start, and functions of several signals.
TEST(ListingOrderOfLoops, does_not_change_a_bit_of_the_first_row) {
    std::vector<std::string> subsystems;
    for (int i = 0; i < 5; ++i)
        subsystems.push_back(test::subsystem_text(fmt::format("s{}", i), "LinearOde",
                                                  i % 2 == 0 ? "fmi2_cs" : "fmi3_me",
                                                  fmt::format("x = {}, d = 0.3", i + 0.1)));
    std::vector<std::string> functions;
    for (int i = 0; i < 5; ++i)
        functions.push_back(
            fmt::format("[[functions]]\ntarget = \"s{}.u\"\n"
                        "expression = \"sin(p) + 0.7 * q - 0.1 * p * q\"\n"
                        "signals = {{ p = \"s{}.y\", q = \"s{}.y\" }}\n",
                        i, (i + 1) % 5, (i + 3) % 5));
    const auto results = [&] {
        std::string text =
            "[experiment]\nstop = 1\nstep = 0.01\n"
            "[coupling]\nmethod = \"jacobi\"\n";
        for (const std::string& part : subsystems) text += part;
        for (const std::string& part : functions) text += part;
        return SystemFile(text).run_text();
    };
    const TextColumns once = results();
    std::mt19937 random(5);
    for (int repeat = 0; repeat < 5; ++repeat) {
        std::ranges::shuffle(subsystems, random);
        std::ranges::shuffle(functions, random);
        EXPECT_EQ(results(), once);
    }
}

}  // namespace
}  // namespace tandem
