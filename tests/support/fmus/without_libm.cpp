/// Uses libm without naming it among the libraries it needs, as some FMUs do. It has the three
/// functions that tell a binary from a broken one, and nothing else.
extern "C" {
double sin(double);
double fmi2Instantiate(double x) { return sin(x); }
void fmi2FreeInstance(void*) {}
int fmi2EnterInitializationMode(void*) { return 0; }
int fmi2ExitInitializationMode(void*) { return 0; }
int fmi2DoStep(void*, double, double, int) { return 0; }
}
