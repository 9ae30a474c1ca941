#include <cairo.h>
#include <fmt/format.h>
#include <librsvg/rsvg.h>

#include <cmath>
#include <memory>
#include <string>

#include "files/whole_file.hpp"
#include "report/chart.hpp"
#include "tandem/error.hpp"

#ifdef __SANITIZE_ADDRESS__
// fontconfig keeps its caches until the process ends; the leak checker asks here what to overlook.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() {
    return "leak:libfontconfig\nleak:libpango\n";
}
#endif

namespace tandem::report {
namespace {

struct Release {
    void operator()(RsvgHandle* handle) const { g_object_unref(handle); }
    void operator()(GError* error) const { g_error_free(error); }
    void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
    void operator()(cairo_t* context) const { cairo_destroy(context); }
};
template <class T>
using Owned = std::unique_ptr<T, Release>;

[[noreturn]] void fail(const std::string& path, GError* error) {
    const Owned<GError> owned(error);
    throw InputError(path, fmt::format("cannot be drawn: {}", error->message));
}

cairo_status_t append(void* png, const unsigned char* bytes, unsigned int size) {
    static_cast<std::string*>(png)->append(reinterpret_cast<const char*>(bytes), size);
    return CAIRO_STATUS_SUCCESS;
}

}  // namespace

void write_png(const std::string& svg, const std::string& path, double scale) {
    GError* error = nullptr;
    const auto* bytes = reinterpret_cast<const guint8*>(svg.data());
    const Owned<RsvgHandle> handle(rsvg_handle_new_from_data(bytes, svg.size(), &error));
    if (!handle) fail(path, error);
    double width = 0.0, height = 0.0;
    const bool sized = rsvg_handle_get_intrinsic_size_in_pixels(handle.get(), &width, &height) != 0;
    expects(sized, "a picture of ours has a size");
    const RsvgRectangle page = {0.0, 0.0, scale * width, scale * height};
    const Owned<cairo_surface_t> surface(
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(std::ceil(page.width)),
                                   static_cast<int>(std::ceil(page.height))));
    const Owned<cairo_t> context(cairo_create(surface.get()));
    if (!rsvg_handle_render_document(handle.get(), context.get(), &page, &error)) fail(path, error);
    std::string png;
    const cairo_status_t status = cairo_surface_write_to_png_stream(surface.get(), append, &png);
    if (status != CAIRO_STATUS_SUCCESS)
        throw InputError(path, fmt::format("cannot be drawn: {}", cairo_status_to_string(status)));
    write_whole_file(path, "choose another file with --output", png);
}

}  // namespace tandem::report
