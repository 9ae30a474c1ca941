#ifdef __cplusplus
extern "C"
#endif
    double
    rate(double x, double k);
