#include "tandem/extend/source.hpp"

namespace tandem::subsystem {

Registry<SourceRow>& sources() {
    static Registry<SourceRow> rows("type of subsystems", {});
    return rows;
}

}  // namespace tandem::subsystem
