#pragma once

#include <optional>
#include <string>
#include <vector>

#include "record/run_record.hpp"
#include "report/compare.hpp"

namespace tandem::report {

/// A results file, perhaps inside a package: "car.ssp/resources/reference.csv". Throws InputError.
Results read_reference(const std::string& path);

/// The course of one difference, as the report draws it.
struct NamedCourse {
    Difference difference;
    std::string unit;
    DifferenceCourse course;
};

/// Results of a run beside those that they are compared with.
struct ReferenceComparison {
    std::string file;  ///< the name of the reference, without folders
    Comparison comparison;
    std::vector<NamedCourse> courses;  ///< in the order of comparison.differences
};

/// Throws InputError where there is nothing to compare. Units come from `record`.
ReferenceComparison compare_with_reference(const Results& results, const ResultsRecord& record,
                                           const std::string& reference);

/// The section of the page.
std::string error_html(const ReferenceComparison& comparison);

}  // namespace tandem::report
