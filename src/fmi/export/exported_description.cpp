#include <array>
#include <cstdint>
#include <string_view>

#include "fmi/export/exported_instance.hpp"

namespace tandem::fmi {
namespace {

// A 128-bit FNV-1a of two differently seeded 64-bit halves, spelt like a GUID.
std::string token_of(const std::string& text) {
    std::array<std::uint64_t, 2> hash = {0xcbf29ce484222325U, 0x9ae16a3b2f90404fU};
    for (const char c : text)
        for (std::uint64_t& half : hash)
            half = (half ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
    constexpr std::string_view digits = "0123456789abcdef";
    std::string token = "{";
    for (std::size_t i = 0; i < 32; ++i) {
        if (i == 8 || i == 12 || i == 16 || i == 20) token += '-';
        token += digits[(hash[i / 16] >> (4 * (15 - i % 16))) & 15U];
    }
    return token + "}";
}

ModelDescription with_token(Version version) {
    ModelDescription model = exported_model().make_description(version);
    model.instantiation_token = token_of(write_model_description(model, Kind::co_simulation) +
                                         write_model_description(model, Kind::model_exchange));
    return model;
}

}  // namespace

const ModelDescription& exported_description(Version version) {
    static const std::array<ModelDescription, 3> known = {
        with_token(Version::v1), with_token(Version::v2), with_token(Version::v3)};
    return known[static_cast<std::size_t>(version)];
}

}  // namespace tandem::fmi

/// What tandem-pack asks the shared library of a model for. `version` is 1, 2 or 3; `kind` 0 for
/// Co-Simulation, 1 for Model Exchange. Valid as long as the library is loaded.
extern "C" __attribute__((visibility("default"))) const char* tandem_model_description(int version,
                                                                                       int kind) {
    using tandem::fmi::Kind;
    using tandem::fmi::Version;
    static std::string text;
    if (version < 1 || version > 3) return nullptr;
    text = write_model_description(
        tandem::fmi::exported_description(static_cast<Version>(version - 1)),
        kind == 0 ? Kind::co_simulation : Kind::model_exchange);
    return text.c_str();
}
