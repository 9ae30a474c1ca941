#pragma once

#include <hdf5.h>
#include <matio.h>

#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "files/csv_reader.hpp"
#include "tandem/value.hpp"

namespace tandem::test {

/// The numeric columns of a results file by name, "time" among them; read with other libraries than
/// those that wrote it where there are any. Empty if the file cannot be read.
using Table = std::map<std::string, std::vector<double>>;

/// A last row that was cut off by the end of the writer is left out.
inline Table read_csv_results(const std::string& path) {
    std::string text = read_text_file(path);
    text.resize(text.rfind('\n') + 1);
    CsvReader reader(std::move(text), path);
    Table table;
    for (const std::string& name : reader.header()) table[name];
    std::vector<std::string_view> cells;
    while (reader.next(cells))
        for (std::size_t i = 0; i < cells.size(); ++i) {
            Values values;
            if (append_text(ValueType::float64, cells[i], values))
                table[reader.header()[i]].push_back(values.reals[0]);
        }
    return table;
}

class MatFile {
public:
    explicit MatFile(const std::string& path) : file_(Mat_Open(path.c_str(), MAT_ACC_RDONLY)) {}
    ~MatFile() {
        if (file_) Mat_Close(file_);
    }
    MatFile(const MatFile&) = delete;
    MatFile& operator=(const MatFile&) = delete;
    bool is_open() const { return file_ != nullptr; }
    /// The names of all matrices up to the end of the file.
    std::vector<std::string> matrices() {
        std::vector<std::string> names;
        Mat_Rewind(file_);
        while (matvar_t* matrix = Mat_VarReadNext(file_)) {
            names.emplace_back(matrix->name ? matrix->name : "");
            Mat_VarFree(matrix);
        }
        return names;
    }
    /// A matrix of doubles, column by column; `rows` becomes its number of rows.
    std::vector<double> doubles(const char* name, std::size_t& rows) {
        matvar_t* matrix = Mat_VarRead(file_, name);
        std::vector<double> values;
        if (!matrix) return values;
        rows = matrix->dims[0];
        if (matrix->data && matrix->nbytes > 0) {
            values.resize(matrix->nbytes / sizeof(double));
            std::memcpy(values.data(), matrix->data, matrix->nbytes);
        }
        Mat_VarFree(matrix);
        return values;
    }
    /// The texts that stand in the columns of a matrix, without the blanks behind them.
    std::vector<std::string> texts(const char* name) {
        matvar_t* matrix = Mat_VarRead(file_, name);
        std::vector<std::string> lines;
        if (!matrix) return lines;
        const auto* data = static_cast<const char*>(matrix->data);
        for (std::size_t k = 0; k < matrix->dims[1]; ++k) {
            std::string line(data + k * matrix->dims[0], matrix->dims[0]);
            lines.push_back(line.substr(0, line.find_last_not_of(' ') + 1));
        }
        Mat_VarFree(matrix);
        return lines;
    }

    /// The texts that stand in the rows of a matrix, likewise.
    std::vector<std::string> text_rows(const char* name) {
        matvar_t* matrix = Mat_VarRead(file_, name);
        if (!matrix) return {};
        const auto* data = static_cast<const char*>(matrix->data);
        std::vector<std::string> lines(matrix->dims[0]);
        for (std::size_t i = 0; i < matrix->dims[0] * matrix->dims[1]; ++i)
            lines[i % matrix->dims[0]] += data[i];
        for (std::string& line : lines) line.resize(line.find_last_not_of(' ') + 1);
        Mat_VarFree(matrix);
        return lines;
    }

private:
    mat_t* file_;
};

inline Table read_mat_results(const std::string& path) {
    MatFile file(path);
    Table table;
    if (!file.is_open()) return table;
    const std::vector<std::string> names = file.texts("name");
    std::size_t rows = 1;
    const std::vector<double> data = file.doubles("data_2", rows);
    for (std::size_t i = 0; i < names.size(); ++i) {
        table[names[i]];
        for (std::size_t k = i; k < data.size(); k += rows) table[names[i]].push_back(data[k]);
    }
    return table;
}

inline std::vector<double> read_hdf5_column(hid_t file, const std::string& name) {
    const hid_t dataset = H5Dopen2(file, name.c_str(), H5P_DEFAULT);
    std::vector<double> values;
    if (dataset < 0) return values;
    const hid_t space = H5Dget_space(dataset);
    values.resize(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
    const bool is_read = values.empty() || H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL,
                                                   H5P_DEFAULT, values.data()) >= 0;
    H5Sclose(space);
    H5Dclose(dataset);
    return is_read ? values : std::vector<double>{};
}

inline Table read_hdf5_results(const std::string& path, const std::vector<std::string>& names) {
    Table table;
    const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file < 0) return table;
    for (const std::string& name : names) table[name] = read_hdf5_column(file, name);
    H5Fclose(file);
    return table;
}

inline Table read_results(const std::string& path, const std::vector<std::string>& names) {
    if (path.ends_with(".csv")) return read_csv_results(path);
    if (path.ends_with(".mat")) return read_mat_results(path);
    return read_hdf5_results(path, names);
}

}  // namespace tandem::test
