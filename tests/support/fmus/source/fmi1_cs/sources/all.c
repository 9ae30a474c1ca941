#define MODEL_IDENTIFIER DecayCs
#define IN_ALL_C
#include "decay.c"
