#pragma once

#include <memory>
#include <string>

#include "files/hdf5_rescue.hpp"
#include "files/output_error.hpp"
#include "process/emergency.hpp"
#include "tandem/extend/result_writer.hpp"

namespace tandem::results {

/// Results as HDF5. Each column is a dataset of its own at the root, with the attributes unit,
/// description and type, beside the dataset "time":
///     file["time"][:], file["plant.x"][:], file["plant.x"].attrs["unit"]
/// A '/' in a name, which HDF5 reserves, becomes ':'.
///
/// These are virtual datasets (HDF5 1.10): views of the tables /rows/real (its first column is
/// time), /rows/integer, /rows/unsigned and /rows/text, which have one line per row. Appending to a
/// few tables instead of to thousands of datasets keeps rows cheap, and a flush is one change of
/// length per table, so that a process that is killed leaves a consistent file. Texts have at most
/// 127 bytes, longer ones are cut, with a warning; binaries are hexadecimal texts.
class Hdf5Writer final : public ResultWriter {
public:
    /// Creates or empties the file. Throws InputError when that fails.
    explicit Hdf5Writer(const std::string& path);
    ~Hdf5Writer() override;
    Hdf5Writer(const Hdf5Writer&) = delete;
    Hdf5Writer& operator=(const Hdf5Writer&) = delete;

    void begin(const std::vector<ResultColumn>& columns) override;
    void write(const ResultRow& row) override;
    void flush() override;
    void close() override;
    const std::atomic<std::uint64_t>& rows_in_file() const override { return pending_.rows; }

private:
    class File;
    SharedBlock shared_;
    Hdf5Pending& pending_;
    EmergencyHook hook_;
    std::unique_ptr<File> file_;
};

}  // namespace tandem::results
