/* The cheapest FMI 2.0 Co-Simulation FMU that is still an oscillator: one semi-implicit Euler step
   per communication step, no checks. It shows what the importer costs and nothing else. */
#include <stdlib.h>

typedef struct {
    double value[6]; /* inputs x_left, v_left, x_right, v_right; outputs x, v */
} Oscillator;

void* fmi2Instantiate(const char* name, int type, const char* guid, const char* resources,
                      const void* callbacks, int visible, int logging_on) {
    Oscillator* o = calloc(1, sizeof *o);
    o->value[4] = 0.1;
    (void)name, (void)type, (void)guid, (void)resources, (void)callbacks, (void)visible;
    (void)logging_on;
    return o;
}

void fmi2FreeInstance(void* o) { free(o); }
const char* fmi2GetVersion(void) { return "2.0"; }
const char* fmi2GetTypesPlatform(void) { return "default"; }
int fmi2SetDebugLogging(void* o, int on, size_t n, const char* const categories[]) {
    return (void)o, (void)on, (void)n, (void)categories, 0;
}
int fmi2SetupExperiment(void* o, int has_tolerance, double tolerance, double start, int has_stop,
                        double stop) {
    return (void)o, (void)has_tolerance, (void)tolerance, (void)start, (void)has_stop, (void)stop,
           0;
}
int fmi2EnterInitializationMode(void* o) { return (void)o, 0; }
int fmi2ExitInitializationMode(void* o) { return (void)o, 0; }
int fmi2Terminate(void* o) { return (void)o, 0; }
int fmi2Reset(void* o) { return (void)o, 0; }

int fmi2GetReal(void* c, const unsigned vr[], size_t n, double value[]) {
    const Oscillator* o = c;
    for (size_t i = 0; i < n; ++i) value[i] = o->value[vr[i]];
    return 0;
}

int fmi2SetReal(void* c, const unsigned vr[], size_t n, const double value[]) {
    Oscillator* o = c;
    for (size_t i = 0; i < n; ++i) o->value[vr[i]] = value[i];
    return 0;
}

int fmi2DoStep(void* c, double t, double h, int no_set_state) {
    double* p = ((Oscillator*)c)->value;
    (void)t, (void)no_set_state;
    p[5] +=
        h * (20.0 * (p[0] + p[2] - 2.0 * p[4]) + 0.1 * (p[1] + p[3] - 2.0 * p[5]) - 10.0 * p[4]);
    p[4] += h * p[5];
    return 0;
}
