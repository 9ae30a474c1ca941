#include "files/hdf5_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "files/output_error.hpp"

namespace tandem {
namespace {

constexpr std::size_t batch_bytes = std::size_t{1} << 20U;
constexpr std::size_t chunk_columns = 128;
constexpr std::size_t chunk_cells = std::size_t{1} << 17U;
constexpr hsize_t most_chunk_lines = 4096;  // a file grows by chunks

[[noreturn]] void fail(const std::string& path, const char* what) {
    throw OutputError(fmt::format("{}: results cannot be written: HDF5 failed to {}", path, what));
}

}  // namespace

Hdf5Handle::Hdf5Handle(hid_t id, Close close, const std::string& path, const char* what)
    : id_(id), close_(close) {
    if (id < 0) fail(path, what);
}

void check_hdf5(herr_t status, const std::string& path, const char* what) {
    if (status < 0) fail(path, what);
}

Hdf5Table::Hdf5Table(hid_t file, const std::string& path, Shape shape)
    : file_(file), path_(path), shape_(std::move(shape)) {
    line_bytes_ = shape_.columns * shape_.cell_bytes;
    capacity_ = std::max<std::size_t>(1, batch_bytes / line_bytes_);
    buffer_ = SharedBlock(capacity_ * line_bytes_);

    const std::array<hsize_t, 2> size = {0, shape_.columns};
    const std::array<hsize_t, 2> limit = {H5S_UNLIMITED, shape_.columns};
    const Hdf5Handle space(H5Screate_simple(2, size.data(), limit.data()), H5Sclose, path_,
                           "describe a table");
    const Hdf5Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, path_, "describe a table");
    const hsize_t wide = std::min(shape_.columns, chunk_columns);
    const std::array<hsize_t, 2> chunk = {
        std::clamp<hsize_t>(chunk_cells * sizeof(double) / shape_.cell_bytes / wide, 1,
                            most_chunk_lines),
        wide};
    chunk_lines_ = chunk[0];
    chunk_line_bytes_ = (shape_.columns + wide - 1) / wide * wide * shape_.cell_bytes;
    check_hdf5(H5Pset_chunk(creation, 2, chunk.data()), path_, "describe a table");
    check_hdf5(H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER), path_, "describe a table");
    // Without a cache of chunks, lines go straight to the file.
    const Hdf5Handle access(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose, path_, "describe a table");
    check_hdf5(H5Pset_chunk_cache(access, 0, 0, 0.0), path_, "describe a table");
    dataset_ = Hdf5Handle(H5Dcreate2(file_, ("/rows/" + shape_.name).c_str(), shape_.type, space,
                                     H5P_DEFAULT, creation, access),
                          H5Dclose, path_, "create a table");
}

char* Hdf5Table::new_line() { return buffer_.data() + line_bytes_ * lines_++; }

void Hdf5Table::append() {
    if (lines_ == 0) return;
    const std::array<hsize_t, 2> begin = {length_, 0};
    const std::array<hsize_t, 2> count = {lines_, shape_.columns};
    const std::array<hsize_t, 2> size = {length_ + lines_, shape_.columns};
    lines_ = 0;
    is_uneven_ = true;
    check_hdf5(H5Dset_extent(dataset_, size.data()), path_, "make a table longer");
    const Hdf5Handle memory(H5Screate_simple(2, count.data(), nullptr), H5Sclose, path_,
                            "describe rows");
    const Hdf5Handle place(H5Dget_space(dataset_), H5Sclose, path_, "describe rows");
    check_hdf5(
        H5Sselect_hyperslab(place, H5S_SELECT_SET, begin.data(), nullptr, count.data(), nullptr),
        path_, "describe rows");
    check_hdf5(H5Dwrite(dataset_, shape_.type, memory, place, H5P_DEFAULT, buffer_.data()), path_,
               "write rows");
    length_ = size[0];
    is_uneven_ = false;
}

std::uint64_t Hdf5Table::bytes_to_append() const {
    const auto chunks = [this](std::uint64_t lines) {
        return (lines + chunk_lines_ - 1) / chunk_lines_;
    };
    return (chunks(length_ + lines_) - chunks(length_)) * chunk_lines_ * chunk_line_bytes_;
}

void Hdf5Table::cut(std::uint64_t length) {
    lines_ = 0;
    if (length == length_ && !is_uneven_) return;
    const std::array<hsize_t, 2> size = {length, shape_.columns};
    check_hdf5(H5Dset_extent(dataset_, size.data()), path_, "make a table shorter");
    length_ = length;
    is_uneven_ = false;
}

Hdf5Handle Hdf5Table::view(const std::string& name, std::size_t column) const {
    const hsize_t none = 0, one = 1, unlimited = H5S_UNLIMITED;
    const Hdf5Handle space(H5Screate_simple(1, &none, &unlimited), H5Sclose, path_,
                           "describe a column");
    const Hdf5Handle source(H5Dget_space(dataset_), H5Sclose, path_, "describe a column");
    const std::array<hsize_t, 2> begin = {0, column}, ones = {1, 1}, count = {unlimited, 1};
    check_hdf5(H5Sselect_hyperslab(source, H5S_SELECT_SET, begin.data(), ones.data(), count.data(),
                                   ones.data()),
               path_, "describe a column");
    check_hdf5(H5Sselect_hyperslab(space, H5S_SELECT_SET, &none, &one, &unlimited, &one), path_,
               "describe a column");
    const Hdf5Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, path_, "describe a column");
    check_hdf5(H5Pset_virtual(creation, space, ".", ("/rows/" + shape_.name).c_str(), source),
               path_, "describe a column");
    return {H5Dcreate2(file_, name.c_str(), shape_.type, space, H5P_DEFAULT, creation, H5P_DEFAULT),
            H5Dclose, path_, "create a column"};
}

}  // namespace tandem
