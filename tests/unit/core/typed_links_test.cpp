#include "core/typed_links.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace tandem {
namespace {

/// A subsystem that is nothing but variables.
class Shelf final : public Subsystem, private Variables {
public:
    void add(ValueType type, std::size_t size = 1) {
        list_.emplace_back();
        list_.back().type = type;
        list_.back().size = size;
        contents.emplace_back().resize(type, size);
    }

    const std::string& name() const override { return name_; }
    const Interface& interface() const override { return interface_; }
    Variables& variables() override { return *this; }
    void enter_initialisation(const Experiment&) override {}
    void exit_initialisation() override {}
    void finish() override {}
    void set_inputs(const InputCourse&) override {}
    StepResult step(Interval interval) override { return {Outcome::complete, interval.end}; }
    void get_outputs(std::span<double>) override {}

    std::vector<Values> contents;
    int writes = 0;

private:
    const std::vector<VariableInfo>& list() const override { return list_; }
    VariableGroup group(std::span<const std::size_t> variables) const override {
        return {list_[variables[0]].type, {variables[0]}, {}, list_[variables[0]].size};
    }
    void read(const VariableGroup& group, Values& values) override {
        values = contents[group.variables[0]];
    }
    void write(const VariableGroup& group, const Values& values) override {
        contents[group.variables[0]] = values;
        ++writes;
    }

    std::string name_ = "shelf";
    Interface interface_;
    std::vector<VariableInfo> list_;
};

/// One variable of type `from` linked to one of type `to`.
struct Pair {
    Pair(ValueType from, ValueType to, Conversion conversion = {}) {
        auto a = std::make_unique<Shelf>();
        auto b = std::make_unique<Shelf>();
        a->add(from);
        b->add(to);
        source = a.get();
        target = b.get();
        subsystems.push_back(std::move(a));
        subsystems.push_back(std::move(b));
        links = std::make_unique<TypedLinks>(
            subsystems, std::vector<TypedLink>{{{0, 0, 0}, {1, 0, 0}, std::move(conversion)}});
        links->start();
    }
    Values& in() { return source->contents[0]; }
    Values& out() { return target->contents[0]; }

    std::vector<std::unique_ptr<Subsystem>> subsystems;
    std::unique_ptr<TypedLinks> links;
    Shelf* source = nullptr;
    Shelf* target = nullptr;
};

std::int64_t integer_from(double value, ValueType type) {
    Pair pair(ValueType::float64, type);
    pair.in().reals[0] = value;
    pair.links->exchange();
    return pair.out().integers[0];
}

TEST(TypedLinks, OnlyWhatChangesIsWritten) {
    Pair pair(ValueType::int32, ValueType::int32);
    pair.in().integers[0] = 7;
    EXPECT_TRUE(pair.links->exchange());
    EXPECT_FALSE(pair.links->exchange());
    EXPECT_EQ(pair.out().integers[0], 7);
    EXPECT_EQ(pair.target->writes, 1);
}

TEST(TypedLinks, RealsAreRoundedAndLimitedToTheRangeOfAnInteger) {
    EXPECT_EQ(integer_from(2.6, ValueType::int32), 3);
    EXPECT_EQ(integer_from(300.0, ValueType::uint8), 255);
    EXPECT_EQ(integer_from(-1.0, ValueType::uint16), 0);
    EXPECT_EQ(integer_from(1e30, ValueType::int64), std::numeric_limits<std::int64_t>::max());
    EXPECT_EQ(integer_from(-1e30, ValueType::int64), std::numeric_limits<std::int64_t>::min());
    EXPECT_EQ(static_cast<std::uint64_t>(integer_from(1e30, ValueType::uint64)),
              std::numeric_limits<std::uint64_t>::max());
    EXPECT_EQ(integer_from(std::nan(""), ValueType::int32), 0);
    EXPECT_EQ(integer_from(0.3, ValueType::boolean), 0);
    EXPECT_EQ(integer_from(2.0, ValueType::boolean), 1);
}

TEST(TypedLinks, IntegersOf64BitsTravelExactly) {
    Pair pair(ValueType::int64, ValueType::int64);
    pair.in().integers[0] = (std::int64_t{1} << 60) + 1;  // has no exact double
    pair.links->exchange();
    EXPECT_EQ(pair.out().integers[0], (std::int64_t{1} << 60) + 1);
}

TEST(TypedLinks, NumbersAreScaledOnTheWay) {
    Pair pair(ValueType::int32, ValueType::float64, {.factor = 0.5, .offset = 1.0});
    pair.in().integers[0] = 3;
    pair.links->exchange();
    EXPECT_EQ(pair.out().reals[0], 2.5);
}

TEST(TypedLinks, ATableReplacesValues) {
    Pair pair(ValueType::enumeration, ValueType::int32, {.map = {{1, 10}, {2, 20}}});
    pair.in().integers[0] = 2;
    pair.links->exchange();
    EXPECT_EQ(pair.out().integers[0], 20);
    pair.in().integers[0] = 3;  // not in the table
    pair.links->exchange();
    EXPECT_EQ(pair.out().integers[0], 3);
}

TEST(TypedLinks, TextsAndBytesAreCopied) {
    Pair pair(ValueType::string, ValueType::string);
    pair.in().strings[0] = "gear";
    EXPECT_TRUE(pair.links->exchange());
    EXPECT_EQ(pair.out().strings[0], "gear");
}

TEST(TypedLinks, AnElementOfAnArrayLeavesTheOthersAsTheyAre) {
    std::vector<std::unique_ptr<Subsystem>> subsystems;
    auto shelf = std::make_unique<Shelf>();
    shelf->add(ValueType::int32);
    shelf->add(ValueType::int32, 3);
    shelf->contents[0].integers = {9};
    shelf->contents[1].integers = {1, 2, 3};
    Shelf& only = *shelf;
    subsystems.push_back(std::move(shelf));
    TypedLinks links(subsystems, {{{0, 0, 0}, {0, 1, 1}, {}}});
    links.start();
    links.exchange();
    EXPECT_EQ(only.contents[1].integers, (std::vector<std::int64_t>{1, 9, 3}));
}

TEST(TypedLinks, AValueForAPortGoesToTheInputsOfTheSystem) {
    std::vector<std::unique_ptr<Subsystem>> subsystems;
    auto shelf = std::make_unique<Shelf>();
    shelf->add(ValueType::boolean);
    shelf->add(ValueType::float64);
    Shelf& all = *shelf;
    subsystems.push_back(std::move(shelf));
    TypedLinks links(subsystems, {{{0, 0, 0}, {0, 1, 0}, {.factor = 3.0}, 1}});
    std::vector<double> inputs = {7.0, 0.0};
    links.start(inputs);
    all.contents[0].integers[0] = 1;
    EXPECT_TRUE(links.exchange());
    EXPECT_EQ(inputs, (std::vector{7.0, 3.0}));
    EXPECT_EQ(all.writes, 0);
    EXPECT_FALSE(links.exchange());
}

TEST(TypedLinks, NotANumberThatStaysIsNoChange) {
    Pair pair(ValueType::float64, ValueType::float64);
    pair.in().reals[0] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_TRUE(pair.links->exchange());
    EXPECT_FALSE(pair.links->exchange());
}

}  // namespace
}  // namespace tandem
