#include "core/typed_links.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <string>

#include "core/partly_readable.hpp"

namespace tandem {
namespace {

class Shelf final : public Variables, public PartlyReadable {
public:
    void add(ValueType type, std::size_t size = 1) {
        list_.emplace_back();
        list_.back().type = type;
        list_.back().size = size;
        contents.emplace_back().resize(type, size);
    }

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
        last_written = values;
    }
    void observe(const VariableGroup& group, Values& values) override {
        values = refuses_reads && writes > 0 ? last_written : contents[group.variables[0]];
    }
    std::vector<std::size_t> unknown(const VariableGroup& group) override {
        return refuses_reads && writes == 0 ? group.variables : std::vector<std::size_t>();
    }
    bool is_readable(const VariableGroup&) const override { return !refuses_reads; }

    std::vector<Values> contents;
    Values last_written;
    int writes = 0;
    bool refuses_reads = false;

private:
    std::vector<VariableInfo> list_;
};

/// One variable of type `from` linked to one of type `to`.
struct Pair {
    Pair(ValueType from, ValueType to, Conversion conversion = {}) {
        source.add(from);
        target.add(to);
        const std::vector<Variables*> both{&source, &target};
        links = std::make_unique<TypedLinks>(
            both, std::vector<TypedLink>{{{0, 0, 0}, {1, 0, 0}, std::move(conversion)}});
        links->start();
    }
    Values& in() { return source.contents[0]; }
    Values& out() { return target.contents[0]; }

    Shelf source, target;
    std::unique_ptr<TypedLinks> links;
};

std::int64_t integer_from(double value, ValueType type) {
    Pair pair(ValueType::float64, type);
    pair.in().reals[0] = value;
    pair.links->exchange();
    return pair.out().integers[0];
}

TEST(TypedLinks, only_what_changes_is_written) {
    Pair pair(ValueType::int32, ValueType::int32);
    pair.in().integers[0] = 7;
    EXPECT_TRUE(pair.links->exchange());
    EXPECT_FALSE(pair.links->exchange());
    EXPECT_EQ(pair.out().integers[0], 7);
    EXPECT_EQ(pair.target.writes, 1);
}

TEST(TypedLinks, reals_are_rounded_and_limited_to_the_range_of_an_integer) {
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

TEST(TypedLinks, integers_of64_bits_travel_exactly) {
    Pair pair(ValueType::int64, ValueType::int64);
    pair.in().integers[0] = (std::int64_t{1} << 60) + 1;  // has no exact double
    pair.links->exchange();
    EXPECT_EQ(pair.out().integers[0], (std::int64_t{1} << 60) + 1);
}

TEST(TypedLinks, numbers_are_scaled_on_the_way) {
    Pair pair(ValueType::int32, ValueType::float64, {.factor = 0.5, .offset = 1.0});
    pair.in().integers[0] = 3;
    pair.links->exchange();
    EXPECT_EQ(pair.out().reals[0], 2.5);
}

TEST(TypedLinks, a_table_replaces_values) {
    Pair pair(ValueType::enumeration, ValueType::int32, {.map = {{1, 10}, {2, 20}}});
    pair.in().integers[0] = 2;
    pair.links->exchange();
    EXPECT_EQ(pair.out().integers[0], 20);
    pair.in().integers[0] = 3;  // not in the table
    pair.links->exchange();
    EXPECT_EQ(pair.out().integers[0], 3);
}

TEST(TypedLinks, texts_and_bytes_are_copied) {
    Pair pair(ValueType::string, ValueType::string);
    pair.in().strings[0] = "gear";
    EXPECT_TRUE(pair.links->exchange());
    EXPECT_EQ(pair.out().strings[0], "gear");
}

TEST(TypedLinks, an_element_of_an_array_leaves_the_others_as_they_are) {
    Shelf only;
    only.add(ValueType::int32);
    only.add(ValueType::int32, 3);
    only.contents[0].integers = {9};
    only.contents[1].integers = {1, 2, 3};
    const std::vector<Variables*> one{&only};
    TypedLinks links(one, {{{0, 0, 0}, {0, 1, 1}, {}}});
    links.start();
    links.exchange();
    EXPECT_EQ(only.contents[1].integers, (std::vector<std::int64_t>{1, 9, 3}));
}

TEST(TypedLinks, a_value_for_a_port_goes_to_the_inputs_of_the_system) {
    Shelf all;
    all.add(ValueType::boolean);
    all.add(ValueType::float64);
    const std::vector<Variables*> one{&all};
    TypedLinks links(one, {{{0, 0, 0}, {0, 1, 0}, {.factor = 3.0}, 1}});
    std::vector<double> inputs = {7.0, 0.0};
    links.start(inputs);
    all.contents[0].integers[0] = 1;
    EXPECT_TRUE(links.exchange());
    EXPECT_EQ(inputs, (std::vector{7.0, 3.0}));
    EXPECT_EQ(all.writes, 0);
    EXPECT_FALSE(links.exchange());
}

TEST(TypedLinks, going_back_needs_no_write_of_what_is_still_there) {
    Pair pair(ValueType::int32, ValueType::int32);
    pair.in().integers[0] = 4;
    pair.links->exchange();
    pair.out().integers[0] = 3;
    pair.in().integers[0] = 3;
    pair.links->roll_back();
    EXPECT_FALSE(pair.links->exchange());
    EXPECT_EQ(pair.out().integers[0], 3);
}

TEST(TypedLinks, what_cannot_be_read_is_written_again_after_going_back) {
    Pair pair(ValueType::int32, ValueType::int32);
    pair.target.refuses_reads = true;
    pair.in().integers[0] = 4;
    pair.links->exchange();
    pair.out().integers[0] = 3;
    pair.links->roll_back();
    EXPECT_TRUE(pair.links->exchange());
    EXPECT_EQ(pair.out().integers[0], 4);
}

TEST(TypedLinks, not_a_number_that_stays_is_no_change) {
    Pair pair(ValueType::float64, ValueType::float64);
    pair.in().reals[0] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_TRUE(pair.links->exchange());
    EXPECT_FALSE(pair.links->exchange());
}

}  // namespace
}  // namespace tandem
