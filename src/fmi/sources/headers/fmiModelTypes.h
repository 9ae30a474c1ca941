#ifndef fmiModelTypes_h
#define fmiModelTypes_h

#define fmiModelTypesPlatform "standard32"

typedef void* fmiComponent;
typedef unsigned int fmiValueReference;
typedef double fmiReal;
typedef int fmiInteger;
typedef char fmiBoolean;
typedef const char* fmiString;

#define fmiTrue 1
#define fmiFalse 0
#define fmiUndefinedValueReference ((fmiValueReference)(-1))

#endif
