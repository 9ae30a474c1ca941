#include "coupling/catalog/rows.hpp"
#include "coupling/explicit/asynchronous.hpp"

namespace tandem::coupling {
namespace {

struct NoOptions {};
std::vector<OptionSpec> describe(NoOptions& /*options*/) { return {}; }

}  // namespace

CouplingRow asynchronous_row() {
    return coupling_row(asynchronous_name,
                        "each subsystem steps at its own pace, as soon as transmission lines have "
                        "brought what it needs",
                        NoOptions{}, [](NoOptions, const Choice& choice, Diagnostics&) {
                            return std::make_unique<Asynchronous>(choice.ratios);
                        });
}

}  // namespace tandem::coupling
