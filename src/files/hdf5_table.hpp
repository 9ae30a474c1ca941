#pragma once

#include <hdf5.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "process/shared_memory.hpp"

namespace tandem {

/// An identifier of the HDF5 library, closed at the end.
class Hdf5Handle {
public:
    using Close = herr_t (*)(hid_t);
    Hdf5Handle() = default;
    /// Throws OutputError if `id` says that the call failed; `path` and `what` are for the message.
    Hdf5Handle(hid_t id, Close close, const std::string& path, const char* what);
    ~Hdf5Handle() { reset(); }
    Hdf5Handle(Hdf5Handle&& other) noexcept
        : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
    Hdf5Handle& operator=(Hdf5Handle&& other) noexcept {
        std::swap(id_, other.id_);
        std::swap(close_, other.close_);
        return *this;
    }
    operator hid_t() const { return id_; }  // NOLINT: it is used as one
    herr_t reset() { return id_ < 0 ? 0 : close_(std::exchange(id_, -1)); }

private:
    hid_t id_ = -1;
    Close close_ = nullptr;
};

/// Throws OutputError if `status` says that the call failed.
void check_hdf5(herr_t status, const std::string& path, const char* what);

/// A growing two-dimensional dataset and the lines that are not in it yet.
class Hdf5Table {
public:
    struct Shape {
        std::string name;  ///< below /rows
        hid_t type = -1;
        std::size_t cell_bytes = 8;
        std::size_t columns = 0;
    };
    Hdf5Table(hid_t file, const std::string& path, Shape shape);

    const Shape& shape() const { return shape_; }
    /// Room for one more line.
    char* new_line();
    bool is_full() const { return lines_ == capacity_; }
    const char* lines() const { return buffer_.data(); }
    bool has_lines() const { return lines_ > 0; }
    /// The newer half of the lines that are not in the file yet.
    void drop_half() { lines_ /= 2; }
    /// Writes the lines to the file and makes the dataset longer.
    void append();
    /// How much the file grows by that, at most, without what the library needs to find the lines.
    std::uint64_t bytes_to_append() const;
    std::uint64_t length() const { return length_; }
    /// Takes back what was appended beyond, and lines that are not in the file yet.
    void cut(std::uint64_t length);
    /// Makes a one-dimensional dataset at the root that is a view of one column.
    Hdf5Handle view(const std::string& name, std::size_t column) const;

private:
    hid_t file_;
    std::string path_;
    Shape shape_;
    Hdf5Handle dataset_;
    SharedBlock buffer_;
    std::size_t line_bytes_ = 0;
    std::size_t lines_ = 0;
    std::size_t capacity_ = 0;
    std::uint64_t chunk_lines_ = 1, chunk_line_bytes_ = 0;  ///< of all chunks side by side
    hsize_t length_ = 0;
    bool is_uneven_ = false;  ///< the dataset is longer than what was written
};

}  // namespace tandem
