/// A library that lacks functions without which nothing runs.
extern "C" {
void fmi2FreeInstance(void*) {}
int fmi2EnterInitializationMode(void*) { return 0; }
}
