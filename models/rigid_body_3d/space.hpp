#pragma once

#include <array>
#include <cstddef>

/// Vectors of three and matrices of nine elements, row by row.
namespace space {

using Vector = std::array<double, 3>;
using Matrix = std::array<double, 9>;
using Quaternion = std::array<double, 4>;  ///< scalar first

template <class Array>
Vector vector(const Array& a) {
    return {a[0], a[1], a[2]};
}
inline Vector operator+(const Vector& a, const Vector& b) {
    return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}
inline Vector operator-(const Vector& a, const Vector& b) {
    return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
inline Vector operator*(double s, const Vector& a) { return {s * a[0], s * a[1], s * a[2]}; }
inline double dot(const Vector& a, const Vector& b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
inline Vector cross(const Vector& a, const Vector& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
inline Vector unit(std::size_t k) {
    Vector e = {};
    e[k] = 1.0;
    return e;
}
inline Vector operator*(const Matrix& m, const Vector& a) {
    Vector b;
    for (std::size_t i = 0; i < 3; ++i)
        b[i] = m[3 * i] * a[0] + m[3 * i + 1] * a[1] + m[3 * i + 2] * a[2];
    return b;
}
/// m^T a
inline Vector turn_back(const Matrix& m, const Vector& a) {
    return {m[0] * a[0] + m[3] * a[1] + m[6] * a[2], m[1] * a[0] + m[4] * a[1] + m[7] * a[2],
            m[2] * a[0] + m[5] * a[1] + m[8] * a[2]};
}

inline double square(const Quaternion& q) {
    return q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
}

/// (q a + a q)/2 of matrices that are quadratic in q: |q|^2 R(q) for a = q, half its derivative in
/// direction a otherwise.
inline Matrix quadratic(const Quaternion& q, const Quaternion& a) {
    const auto s = [&](std::size_t i, std::size_t k) { return 0.5 * (q[i] * a[k] + q[k] * a[i]); };
    return {s(0, 0) + s(1, 1) - s(2, 2) - s(3, 3),
            2.0 * (s(1, 2) - s(0, 3)),
            2.0 * (s(1, 3) + s(0, 2)),
            2.0 * (s(1, 2) + s(0, 3)),
            s(0, 0) - s(1, 1) + s(2, 2) - s(3, 3),
            2.0 * (s(2, 3) - s(0, 1)),
            2.0 * (s(1, 3) - s(0, 2)),
            2.0 * (s(2, 3) + s(0, 1)),
            s(0, 0) - s(1, 1) - s(2, 2) + s(3, 3)};
}

/// R(q): from the frame of the body to that at rest, whatever the length of q.
inline Matrix rotation(const Quaternion& q) {
    Matrix r = quadratic(q, q);
    const double n = square(q);
    for (double& e : r) e /= n;
    return r;
}

/// dR/dq_k = (2 quadratic(q, e_k) - 2 q_k R)/|q|^2
inline Matrix rotation_by(const Quaternion& q, std::size_t k) {
    Quaternion e = {};
    e[k] = 1.0;
    const Matrix r = rotation(q);
    Matrix d = quadratic(q, e);
    const double n = square(q);
    for (std::size_t i = 0; i < 9; ++i) d[i] = 2.0 * (d[i] - q[k] * r[i]) / n;
    return d;
}

/// q a, of quaternions.
inline Quaternion product(const Quaternion& q, const Quaternion& a) {
    return {q[0] * a[0] - q[1] * a[1] - q[2] * a[2] - q[3] * a[3],
            q[0] * a[1] + q[1] * a[0] + q[2] * a[3] - q[3] * a[2],
            q[0] * a[2] - q[1] * a[3] + q[2] * a[0] + q[3] * a[1],
            q[0] * a[3] + q[1] * a[2] - q[2] * a[1] + q[3] * a[0]};
}

}  // namespace space
