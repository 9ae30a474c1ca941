#include <algorithm>
#include <cstring>
#include <type_traits>

#include "ode/host/hosted_ode_impl.hpp"
#include "tandem/error.hpp"

namespace tandem::ode {
namespace {

static_assert(std::is_trivially_copyable_v<Moment>);

void append(std::vector<std::byte>& bytes, const void* data, std::size_t size) {
    const auto* first = static_cast<const std::byte*>(data);
    bytes.insert(bytes.end(), first, first + size);
}

template <class T>
void append(std::vector<std::byte>& bytes, const T& value) {
    append(bytes, &value, sizeof value);
}

void append(std::vector<std::byte>& bytes, std::span<const double> values) {
    append(bytes, static_cast<std::uint64_t>(values.size()));
    append(bytes, values.data(), values.size_bytes());
}

/// Takes values from the front of the bytes; false once they end too early or do not fit.
class Reader {
public:
    explicit Reader(std::span<const std::byte> bytes) : rest_(bytes) {}

    bool take(void* target, std::size_t size) {
        if (rest_.size() < size) return false;
        if (size > 0) std::memcpy(target, rest_.data(), size);
        rest_ = rest_.subspan(size);
        return true;
    }
    template <class T>
    bool take(T& value) {
        return take(&value, sizeof value);
    }
    /// As many values as `values` holds.
    bool take_all(std::vector<double>& values) {
        std::uint64_t size = 0;
        return take(size) && size == values.size() &&
               take(values.data(), values.size() * sizeof(double));
    }
    std::span<const std::byte> rest() const { return rest_; }

private:
    std::span<const std::byte> rest_;
};

bool take_course(Reader& reader, HeldCourse& course, std::size_t inputs) {
    double begin = 0.0;
    std::int32_t order = 0;
    std::vector<double> values(inputs);
    if (!reader.take(begin) || !reader.take(order) || order < 0 || order > 100) return false;
    std::vector<double> derivatives(inputs * static_cast<std::size_t>(order));
    if (!reader.take_all(values) || !reader.take_all(derivatives)) return false;
    course.set({values, derivatives, order}, begin);
    return true;
}

std::size_t index_of(StateSlot slot) { return static_cast<std::size_t>(slot); }

}  // namespace

/// The moment to return to. A solver that is put back has no history, only a step size to begin
/// with.
Moment HostedOde::Impl::moment_to_keep() const {
    Moment moment = now;
    if (!restart) moment.initial_step = solver->step_hint();
    return moment;
}

void HostedOde::save(StateSlot slot) {
    Impl& host = *impl_;
    SavedPoint& saved = host.slots[index_of(slot)];
    saved.now = host.moment_to_keep();
    saved.x = host.x;
    saved.u_reached = host.u_reached;
    saved.course = host.course;
    host.model->save(slot);
}

void HostedOde::restore(StateSlot slot) {
    Impl& host = *impl_;
    const SavedPoint& saved = host.slots[index_of(slot)];
    host.model->restore(slot);
    host.now = saved.now;
    host.x = saved.x;
    host.u_reached = saved.u_reached;
    host.course = saved.course;
    host.restart = true;
    host.terminate = false;
    host.take_nominals();
    host.evaluate_inputs();
    host.synchronise();
}

/// A law is not a number and cannot be kept: whoever continues sets the course anew.
void HostedOde::serialise(std::vector<std::byte>& bytes) {
    Impl& host = *impl_;
    append(bytes, host.moment_to_keep());
    append(bytes, std::span<const double>(host.own_states()));
    append(bytes, std::span<const double>(host.u_reached));
    const HeldCourse::Numbers numbers = host.course.numbers();
    append(bytes, numbers.begin);
    append(bytes, static_cast<std::int32_t>(numbers.order));
    append(bytes, numbers.values);
    append(bytes, numbers.derivatives);
    host.model->serialise(bytes);
}

void HostedOde::deserialise(std::span<const std::byte> bytes) {
    Impl& host = *impl_;
    Reader reader(bytes);
    const auto own = host.own_states();
    SavedPoint point{{}, {own.begin(), own.end()}, host.u_reached, host.course};
    if (!reader.take(point.now) || !reader.take_all(point.x) || !reader.take_all(point.u_reached) ||
        !take_course(reader, point.course, host.u.size()))
        throw InputError(host.model->name(), "the saved state does not fit this model",
                         "use a state that was saved from the same model and version");
    host.model->deserialise(reader.rest());
    host.now = point.now;
    std::ranges::copy(point.x, own.begin());
    host.u_reached = point.u_reached;
    host.course = point.course;
    host.restart = true;
    host.terminate = false;
    host.evaluate_inputs();
    host.synchronise();
}

}  // namespace tandem::ode
