double rate(double x, double k) { return -k * x; }
