#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::description {

/// Indices count from 1, both ends included.
struct IndexRange {
    std::uint64_t first = 1;
    std::uint64_t last = 1;

    bool operator==(const IndexRange&) const = default;
};

struct SlicedName {
    std::string name;
    std::vector<IndexRange> ranges;  ///< one per dimension
};

/// "a[2]", "a[1:3]", "a[1,2:4]" taken apart. Nothing if the text does not end in indices.
/// "a[2]" can also be the name of a scalar variable: look for that first.
std::optional<SlicedName> split_slice(std::string_view text);

/// A run of elements of a one-dimensional array, or the whole of whatever it is.
struct Segment {
    bool whole = true;
    std::uint64_t first = 1;
    std::uint64_t count = 1;

    bool operator==(const Segment&) const = default;
    /// `length` elements starting `skip` behind the first.
    Segment part(std::uint64_t skip, std::uint64_t length) const;
    bool overlaps(const Segment& other) const;
};

/// name, name[first] or name[first:last].
std::string render(const std::string& name, const Segment& segment);

/// source -> middle_in, middle_out -> target, with middle_in and middle_out of the same array:
/// which part of the source reaches which part of the target. Nothing if none does.
struct SegmentPair {
    Segment source;
    Segment target;
};
std::optional<SegmentPair> compose(const SegmentPair& into_middle, const SegmentPair& from_middle);

}  // namespace tandem::description
