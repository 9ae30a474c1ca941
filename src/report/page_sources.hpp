#pragma once

namespace tandem::report {

/// The files of src/report/page, embedded when Tandem is built.
extern const char* const page_html;
extern const char* const colours_css;
extern const char* const graph_css;
extern const char* const page_css;
extern const char* const plot_js;
extern const char* const page_js;

}  // namespace tandem::report
