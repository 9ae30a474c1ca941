#include <Eigen/Geometry>
#include <algorithm>

#include "tlm/end.hpp"

#include "tandem/extend/index.hpp"

/// Frames and attitudes of an end, and what else makes of a wave something other than what was
/// sent.
namespace tandem::tlm {
namespace {

using Matrix = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

Eigen::Quaterniond quaternion(const std::array<double, 4>& a) { return {a[0], a[1], a[2], a[3]}; }

std::array<double, 4> numbers(const Eigen::Quaterniond& q) { return {q.w(), q.x(), q.y(), q.z()}; }

void rotate_part(TlmEnd::Vector& vector, std::size_t first, const Eigen::Matrix3d& rotation) {
    Eigen::Map<Eigen::Vector3d> part(vector.data() + first);
    part = rotation * part.eval();
}

}  // namespace

/// Moments as they were seen by this end a delay before, and damped.
bool TlmEnd::receive_changed(Instant sent, Vector& wave, Side side) const {
    const bool jumps = read(element_->lines[index(end_)], sent, own_row_, side);
    if (turns_) {
        Attitude attitude{};
        std::copy_n(own_row_.begin() + static_cast<std::ptrdiff_t>(at_.attitude), 4,
                    attitude.begin());
        turn_back(wave, attitude);
    }
    const double damping = element_->options().damping;
    for (std::size_t i = 0; i < components_ && is_damped_; ++i)
        wave[i] = (1.0 - damping) * wave[i] + damping * own_row_[at_.received + i];
    return jumps;
}

void TlmEnd::turn_back(Vector& wave, const Attitude& attitude) {
    rotate_part(wave, 3, quaternion(attitude).normalized().conjugate().toRotationMatrix());
}

void TlmEnd::turn_moments(Vector& wave, const Attitude& attitude) {
    rotate_part(wave, 3, quaternion(attitude).toRotationMatrix());
}

void TlmEnd::rotate_parts(Vector& vector, bool back) const {
    const Eigen::Matrix3d rotation = Eigen::Map<const Matrix>(ports_.rotation.data());
    for (std::size_t first = 0; first < components_; first += 3)
        rotate_part(vector, first, back ? rotation.transpose() : rotation);
}

TlmEnd::Attitude TlmEnd::attitude_of(std::span<const double> outputs) const {
    Matrix orientation;
    for (std::size_t i = 0; i < 9; ++i)
        orientation.data()[i] = outputs[index(ports_.orientation[i])];
    const Eigen::Map<const Matrix> frame(ports_.rotation.data());
    Eigen::Quaterniond q(Eigen::Matrix3d(frame * orientation));
    // Of the two quaternions of a rotation, the one near the last: they are interpolated.
    if (q.dot(quaternion(now_.attitude)) < 0.0) q.coeffs() *= -1.0;
    return numbers(q.normalized());
}

}  // namespace tandem::tlm
