#include <numeric>
#include <vector>

#include "rate.h"

double rate(double x, double k) {
    const std::vector<double> factors{-1.0, x, k};
    return std::accumulate(factors.begin(), factors.end(), 1.0, std::multiplies<double>());
}
