#define MODEL_IDENTIFIER DecayCs
#include "decay.c"
