/* A proper shared library without a single function of FMI. */
int nothing_of_interest(void) { return 42; }
