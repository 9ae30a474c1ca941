#include "bent_piece.hpp"

using BentState = BentPiece<false>;
TANDEM_MODEL(BentState, {.description = "A bent state without direct feedthrough",
                         .stop = 2.0,
                         .step_size = 0.01,
                         .tolerance = 1e-9})
