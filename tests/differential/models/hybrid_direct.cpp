#include "hybrid_piece.hpp"

using HybridDirect = HybridPiece<true>;
TANDEM_MODEL(HybridDirect, {.description = "A linear subsystem with events and direct feedthrough",
                            .stop = 2.0,
                            .step_size = 0.01,
                            .tolerance = 1e-9})
