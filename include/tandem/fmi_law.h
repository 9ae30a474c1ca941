#ifndef TANDEM_FMI_LAW_H
#define TANDEM_FMI_LAW_H

#include <stddef.h>
#include <stdint.h>

/* An optional extension of Co-Simulation FMUs of FMI 2.0 and 3.0: the inputs of a step follow a law
 * of the importer, which the solver inside the FMU asks while it integrates. See
 * docs/fmi_law_extension.md. Plain C, without anything else of Tandem. */

#ifdef __cplusplus
extern "C" {
#endif

#define TANDEM_INPUT_LAW_VERSION 1

/* Names of the two functions that an FMU exports, both or none, beside those of FMI. */
#define TANDEM_EXPECT_INPUT_LAW "tandem_expect_input_law"
#define TANDEM_SET_INPUT_LAW "tandem_set_input_law"

/* Where a law is asked. */
typedef struct TandemLawPoint {
    double time;
    const double* states; /* continuous ones of the FMU, in the order of its derivatives in the
                             model structure, arrays flat */
    size_t state_count;
    const double* own; /* states of the law, which the FMU integrates together with its own */
    size_t own_count;
} TandemLawPoint;

/* Functions of the importer. They answer 0, or something else where the law cannot be evaluated:
 * the FMU does as where its own equations cannot be. They call no function of the FMU, and throw
 * nothing. */
typedef struct TandemInputLaw {
    uint32_t version;   /* TANDEM_INPUT_LAW_VERSION; later versions only append members */
    uint32_t own_count; /* states of its own, at most as many as were announced */
    void* context;      /* given back as the first argument */
    /* The values of its own states at the time when it is set. Never called if there are none. */
    int (*start)(void* context, double* own);
    /* The inputs that were announced, in that order. */
    int (*evaluate)(void* context, const TandemLawPoint* point, double* inputs);
    /* The derivatives of its own states; state_rates are those of the FMU's states, with the inputs
     * that evaluate() gave at the same point. Never called if there are none. */
    int (*rates)(void* context, const TandemLawPoint* point, const double* state_rates,
                 double* own_rates);
} TandemInputLaw;

/* Functions of the FMU. The answer is a status as FMI numbers them: 0 OK, 1 warning, 2 discard, 3
 * error, 4 fatal. `instance` is what the FMU gave at instantiation.
 *
 * Announces laws, once or again, between steps after the initialisation: they give these inputs
 * (continuous real ones), and have at most own_count states of their own, of these sizes. */
typedef int TandemExpectInputLaw(void* instance, const uint32_t* inputs, size_t input_count,
                                 const double* own_nominals, size_t own_count);
/* Between steps: from now on the inputs follow this law, and nothing else; null: they are held. The
 * FMU copies the struct. The law holds until another or null is set, or a state, or until the FMU
 * is reset or terminated; it is part of no saved state. */
typedef int TandemSetInputLaw(void* instance, const TandemInputLaw* law);

#ifdef __cplusplus
}
#endif

#endif
