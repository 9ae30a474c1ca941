#include "hybrid_piece.hpp"

using HybridStates = HybridPiece<false>;
TANDEM_MODEL(HybridStates,
             {.description = "A linear subsystem with events, outputs of states alone",
              .stop = 2.0,
              .step_size = 0.01,
              .tolerance = 1e-9})
