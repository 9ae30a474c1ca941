#include "files/hdf5_rescue.hpp"

#include <fcntl.h>
#include <hdf5.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>

#include "files/hdf5_table.hpp"
#include "files/output_error.hpp"

namespace tandem {
namespace {

void append(hid_t file, const Hdf5Pending& pending, const Hdf5Pending::Table& table) {
    const std::string path = pending.path.data();
    const Hdf5Handle dataset(H5Dopen2(file, table.name.data(), H5P_DEFAULT), H5Dclose, path,
                             "open a table");
    const Hdf5Handle type(H5Dget_type(dataset), H5Tclose, path, "open a table");
    const std::array<hsize_t, 2> begin = {pending.rows, 0},
                                 count = {pending.complete, table.columns},
                                 size = {pending.rows + pending.complete, table.columns};
    check_hdf5(H5Dset_extent(dataset, size.data()), path, "make a table longer");
    const Hdf5Handle memory(H5Screate_simple(2, count.data(), nullptr), H5Sclose, path,
                            "describe rows");
    const Hdf5Handle place(H5Dget_space(dataset), H5Sclose, path, "describe rows");
    check_hdf5(
        H5Sselect_hyperslab(place, H5S_SELECT_SET, begin.data(), nullptr, count.data(), nullptr),
        path, "describe rows");
    check_hdf5(H5Dwrite(dataset, type, memory, place, H5P_DEFAULT, table.lines), path,
               "write rows");
}

void check_room(hid_t file, const Hdf5Pending& pending) {
    constexpr std::uint64_t one_chunk = 1U << 20U;
    const std::string path = pending.path.data();
    void* handle = nullptr;
    hsize_t size = 0;
    check_hdf5(H5Fget_vfd_handle(file, H5P_DEFAULT, &handle), path, "open the file");
    check_hdf5(H5Fget_filesize(file, &size), path, "open the file");
    std::uint64_t bytes = one_chunk;
    for (const Hdf5Pending::Table& table : pending.tables)
        bytes += pending.complete * table.columns * table.cell_bytes;
    if (reserve_on_disk(*static_cast<int*>(handle), size, bytes) != 0)
        throw OutputError("the disk is full");
}

}  // namespace

int reserve_on_disk(int descriptor, std::uint64_t size, std::uint64_t bytes) noexcept {
    rlimit limit{};
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
        size + bytes > limit.rlim_cur)
        return EFBIG;
    if (::fallocate(descriptor, FALLOC_FL_KEEP_SIZE, static_cast<off_t>(size),
                    static_cast<off_t>(bytes)) == 0)
        return 0;
    return errno == ENOSPC || errno == EDQUOT || errno == EFBIG || errno == EIO ? errno : 0;
}

void append_pending_rows(void* context) noexcept {
    auto& pending = *static_cast<Hdf5Pending*>(context);
    if (pending.complete == 0 || pending.owner == getpid()) return;
    try {
        const std::string path = pending.path.data();
        H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
        const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, path, "open the file");
        check_hdf5(H5Pset_file_locking(access, false, true), path, "open the file");
        Hdf5Handle file(H5Fopen(path.c_str(), H5F_ACC_RDWR, access), H5Fclose, path,
                        "open the file");
        check_room(file, pending);
        for (const Hdf5Pending::Table& table : pending.tables)
            if (table.lines != nullptr) append(file, pending, table);
        check_hdf5(file.reset(), path, "close the file");
        pending.rows.fetch_add(pending.complete.exchange(0));
    } catch (const std::exception&) {
        // the rows up to the last flush are there
    }
}

}  // namespace tandem
