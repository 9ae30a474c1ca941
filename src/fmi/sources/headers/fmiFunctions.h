#ifndef fmiFunctions_h
#define fmiFunctions_h

#include <stddef.h>

#include "fmiPlatformTypes.h"

#define fmiVersion "1.0"

#ifndef DllExport
#define DllExport __attribute__((visibility("default")))
#endif

/* The names are <model identifier>_fmi...: #define MODEL_IDENTIFIER Model before this file. */
#define fmiPaste(a, b) a##b
#define fmiPasteB(a, b) fmiPaste(a, b)
#define fmiFullName(name) fmiPasteB(MODEL_IDENTIFIER, name)

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { fmiOK, fmiWarning, fmiDiscard, fmiError, fmiFatal, fmiPending } fmiStatus;
typedef enum { fmiDoStepStatus, fmiPendingStatus, fmiLastSuccessfulTime } fmiStatusKind;

typedef void (*fmiCallbackLogger)(fmiComponent, fmiString, fmiStatus, fmiString, fmiString, ...);
typedef void* (*fmiCallbackAllocateMemory)(size_t, size_t);
typedef void (*fmiCallbackFreeMemory)(void*);
typedef void (*fmiStepFinished)(fmiComponent, fmiStatus);

typedef struct {
    fmiCallbackLogger logger;
    fmiCallbackAllocateMemory allocateMemory;
    fmiCallbackFreeMemory freeMemory;
    fmiStepFinished stepFinished;
} fmiCallbackFunctions;

typedef struct {
    fmiBoolean iterationConverged;
    fmiBoolean stateValueReferencesChanged;
    fmiBoolean stateValuesChanged;
    fmiBoolean terminateSimulation;
    fmiBoolean upcomingTimeEvent;
    fmiReal nextEventTime;
} fmiEventInfo;

#define fmiGetTypesPlatform fmiFullName(_fmiGetTypesPlatform)
#define fmiGetVersion fmiFullName(_fmiGetVersion)
#define fmiInstantiateSlave fmiFullName(_fmiInstantiateSlave)
#define fmiInitializeSlave fmiFullName(_fmiInitializeSlave)
#define fmiTerminateSlave fmiFullName(_fmiTerminateSlave)
#define fmiResetSlave fmiFullName(_fmiResetSlave)
#define fmiFreeSlaveInstance fmiFullName(_fmiFreeSlaveInstance)
#define fmiSetDebugLogging fmiFullName(_fmiSetDebugLogging)
#define fmiGetReal fmiFullName(_fmiGetReal)
#define fmiGetInteger fmiFullName(_fmiGetInteger)
#define fmiGetBoolean fmiFullName(_fmiGetBoolean)
#define fmiGetString fmiFullName(_fmiGetString)
#define fmiSetReal fmiFullName(_fmiSetReal)
#define fmiSetInteger fmiFullName(_fmiSetInteger)
#define fmiSetBoolean fmiFullName(_fmiSetBoolean)
#define fmiSetString fmiFullName(_fmiSetString)
#define fmiSetRealInputDerivatives fmiFullName(_fmiSetRealInputDerivatives)
#define fmiGetRealOutputDerivatives fmiFullName(_fmiGetRealOutputDerivatives)
#define fmiDoStep fmiFullName(_fmiDoStep)
#define fmiCancelStep fmiFullName(_fmiCancelStep)
#define fmiGetStatus fmiFullName(_fmiGetStatus)
#define fmiGetRealStatus fmiFullName(_fmiGetRealStatus)
#define fmiGetIntegerStatus fmiFullName(_fmiGetIntegerStatus)
#define fmiGetBooleanStatus fmiFullName(_fmiGetBooleanStatus)
#define fmiGetStringStatus fmiFullName(_fmiGetStringStatus)

DllExport const char* fmiGetTypesPlatform(void);
DllExport const char* fmiGetVersion(void);
DllExport fmiComponent fmiInstantiateSlave(fmiString, fmiString, fmiString, fmiString, fmiReal,
                                           fmiBoolean, fmiBoolean, fmiCallbackFunctions,
                                           fmiBoolean);
DllExport fmiStatus fmiInitializeSlave(fmiComponent, fmiReal, fmiBoolean, fmiReal);
DllExport fmiStatus fmiTerminateSlave(fmiComponent);
DllExport fmiStatus fmiResetSlave(fmiComponent);
DllExport void fmiFreeSlaveInstance(fmiComponent);
DllExport fmiStatus fmiSetDebugLogging(fmiComponent, fmiBoolean);
DllExport fmiStatus fmiGetReal(fmiComponent, const fmiValueReference[], size_t, fmiReal[]);
DllExport fmiStatus fmiGetInteger(fmiComponent, const fmiValueReference[], size_t, fmiInteger[]);
DllExport fmiStatus fmiGetBoolean(fmiComponent, const fmiValueReference[], size_t, fmiBoolean[]);
DllExport fmiStatus fmiGetString(fmiComponent, const fmiValueReference[], size_t, fmiString[]);
DllExport fmiStatus fmiSetReal(fmiComponent, const fmiValueReference[], size_t, const fmiReal[]);
DllExport fmiStatus fmiSetInteger(fmiComponent, const fmiValueReference[], size_t,
                                  const fmiInteger[]);
DllExport fmiStatus fmiSetBoolean(fmiComponent, const fmiValueReference[], size_t,
                                  const fmiBoolean[]);
DllExport fmiStatus fmiSetString(fmiComponent, const fmiValueReference[], size_t,
                                 const fmiString[]);
DllExport fmiStatus fmiSetRealInputDerivatives(fmiComponent, const fmiValueReference[], size_t,
                                               const fmiInteger[], const fmiReal[]);
DllExport fmiStatus fmiGetRealOutputDerivatives(fmiComponent, const fmiValueReference[], size_t,
                                                const fmiInteger[], fmiReal[]);
DllExport fmiStatus fmiDoStep(fmiComponent, fmiReal, fmiReal, fmiBoolean);
DllExport fmiStatus fmiCancelStep(fmiComponent);
DllExport fmiStatus fmiGetStatus(fmiComponent, const fmiStatusKind, fmiStatus*);
DllExport fmiStatus fmiGetRealStatus(fmiComponent, const fmiStatusKind, fmiReal*);
DllExport fmiStatus fmiGetIntegerStatus(fmiComponent, const fmiStatusKind, fmiInteger*);
DllExport fmiStatus fmiGetBooleanStatus(fmiComponent, const fmiStatusKind, fmiBoolean*);
DllExport fmiStatus fmiGetStringStatus(fmiComponent, const fmiStatusKind, fmiString*);

#ifdef __cplusplus
}
#endif

#endif
