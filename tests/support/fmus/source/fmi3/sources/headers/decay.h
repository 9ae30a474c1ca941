typedef struct {
    double values[3]; /* x, k, der(x) */
} Decay;
