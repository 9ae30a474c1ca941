#include "description/slice.hpp"

#include <algorithm>
#include <charconv>

namespace tandem::description {
namespace {

std::optional<std::uint64_t> index_from(std::string_view text) {
    while (text.starts_with(' ')) text.remove_prefix(1);
    while (text.ends_with(' ')) text.remove_suffix(1);
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || value == 0) return std::nullopt;
    return value;
}

std::optional<IndexRange> range_from(std::string_view text) {
    const auto colon = text.find(':');
    const auto first = index_from(text.substr(0, colon));
    const auto last = colon == std::string_view::npos ? first : index_from(text.substr(colon + 1));
    if (!first || !last || *last < *first) return std::nullopt;
    return IndexRange{*first, *last};
}

}  // namespace

std::optional<SlicedName> split_slice(std::string_view text) {
    const auto open = text.rfind('[');
    if (open == std::string_view::npos || open == 0 || !text.ends_with(']')) return std::nullopt;
    SlicedName result{std::string(text.substr(0, open)), {}};
    std::string_view list = text.substr(open + 1, text.size() - open - 2);
    while (true) {
        const auto comma = list.find(',');
        const auto range = range_from(list.substr(0, comma));
        if (!range) return std::nullopt;
        result.ranges.push_back(*range);
        if (comma == std::string_view::npos) return result;
        list.remove_prefix(comma + 1);
    }
}

Segment Segment::part(std::uint64_t skip, std::uint64_t length) const {
    return {false, (whole ? 1 : first) + skip, length};
}

bool Segment::overlaps(const Segment& other) const {
    if (whole || other.whole) return true;
    return first < other.first + other.count && other.first < first + count;
}

std::string render(const std::string& name, const Segment& segment) {
    if (segment.whole) return name;
    std::string text = name + "[" + std::to_string(segment.first);
    if (segment.count > 1) text += ":" + std::to_string(segment.first + segment.count - 1);
    return text + "]";
}

std::optional<SegmentPair> compose(const SegmentPair& into_middle, const SegmentPair& from_middle) {
    const Segment& in = into_middle.target;
    const Segment& out = from_middle.source;
    if (in == out) return SegmentPair{into_middle.source, from_middle.target};
    if (in.whole)
        return SegmentPair{into_middle.source.part(out.first - 1, out.count), from_middle.target};
    if (out.whole)
        return SegmentPair{into_middle.source, from_middle.target.part(in.first - 1, in.count)};
    const std::uint64_t first = std::max(in.first, out.first);
    const std::uint64_t end = std::min(in.first + in.count, out.first + out.count);
    if (first >= end) return std::nullopt;
    return SegmentPair{into_middle.source.part(first - in.first, end - first),
                       from_middle.target.part(first - out.first, end - first)};
}

}  // namespace tandem::description
