#include "bent_piece.hpp"

using BentDirect = BentPiece<true>;
TANDEM_MODEL(BentDirect, {.description = "A bent state with direct feedthrough",
                          .stop = 2.0,
                          .step_size = 0.01,
                          .tolerance = 1e-9})
