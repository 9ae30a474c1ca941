/// Two libraries are made of this file, with the same symbols and another number: TWIN.
extern "C" {
int twin_number = TWIN;
int twin_function() { return twin_number; }
double fmi2Instantiate(double) { return 0.0; }
void fmi2FreeInstance(void*) {}
int fmi2EnterInitializationMode(void*) { return 0; }
int fmi2ExitInitializationMode(void*) { return 0; }
int fmi2DoStep(void*, double, double, int) { return twin_function(); }
}
