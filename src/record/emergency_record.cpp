#include "record/emergency_record.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <climits>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <vector>

#include "files/whole_file.hpp"

namespace tandem {
namespace {

enum class Kind { outcome, sentence, steps, simulated, rows };

/// A place in the text where something else is to be written.
struct Gap {
    std::size_t begin = 0, end = 0;
    Kind kind = Kind::outcome;
    std::size_t index = 0;  ///< of rows
};

constexpr std::size_t most_gaps = 32;
// Numbers and a text that no record has, to find their places.
constexpr std::uint64_t mark_of_steps = 18'446'744'073'709'540'000U;
constexpr std::uint64_t mark_of_rows = 18'446'744'073'709'550'000U;
constexpr double mark_of_seconds = -1.2345678912345678e-300;
constexpr const char* mark_of_sentence = "the sentence that says how it ended";

constexpr std::size_t spare_bytes = 8192;

constexpr const char* unknown_end =
    "the run has not ended yet, or it was killed before it could say how";

/// Bytes on their way to a file, without allocation.
class Output {
public:
    explicit Output(int file) noexcept : file_(file) {}
    void put(const char* bytes, std::size_t size) noexcept {
        for (std::size_t k = 0; k < size; ++k) {
            if (used_ == buffer_.size()) flush();
            buffer_[used_++] = bytes[k];
        }
    }
    template <class Number>
    void number(Number value) noexcept {
        std::array<char, 40> digits{};
        const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
        put(digits.data(), static_cast<std::size_t>(end - digits.data()));
    }
    /// As JSON has it, with its quotes.
    void text(const char* value) noexcept {
        put("\"", 1);
        for (; *value != '\0'; ++value) {
            const auto c = static_cast<unsigned char>(*value);
            if (c == '"' || c == '\\') put("\\", 1);
            if (c < 0x20U)
                put(" ", 1);
            else
                put(value, 1);
        }
        put("\"", 1);
    }
    bool flush() noexcept {
        std::size_t done = 0;
        while (done < used_ && is_good_) {
            const ssize_t written = ::write(file_, buffer_.data() + done, used_ - done);
            if (written < 0 && errno == EINTR) continue;
            if (written <= 0) is_good_ = false;
            done += static_cast<std::size_t>(std::max<ssize_t>(written, 0));
        }
        used_ = 0;
        return is_good_;
    }

private:
    int file_;
    std::array<char, 4096> buffer_{};
    std::size_t used_ = 0;
    bool is_good_ = true;
};

}  // namespace

struct EmergencyRecord::Plan {
    std::array<char, PATH_MAX> path{}, draft{};
    const char* text = nullptr;
    std::size_t size = 0;
    std::array<Gap, most_gaps> gaps{};
    std::size_t gap_count = 0;
    const LiveNumbers* numbers = nullptr;

    void find(const std::string& json, const std::string& mark, Gap gap) {
        const std::size_t at = json.find(mark);
        if (at == std::string::npos || gap_count == most_gaps) return;
        gap.begin += at;
        gap.end = at + mark.size();
        gaps[gap_count++] = gap;
    }
    void fill(const Gap& gap, Output& out) const noexcept {
        const ProcessEnd end = process_end();
        switch (gap.kind) {
            case Kind::outcome: out.text(end.is_interrupt ? "interrupted" : "failed"); return;
            case Kind::sentence:
                out.text(*end.sentence == '\0' ? unknown_end : end.sentence);
                return;
            case Kind::steps: out.number(numbers->steps.load()); return;
            case Kind::simulated: out.number(numbers->simulated_seconds.load()); return;
            case Kind::rows: {
                const auto* rows = numbers->rows[gap.index].load();
                out.number(rows != nullptr ? rows->load() : std::uint64_t{0});
            }
        }
    }
};

EmergencyRecord::EmergencyRecord(RunRecord record, const File& to, const LiveNumbers& numbers)
    : plan_(sizeof(Plan)),
      hook_([](void* plan) noexcept { write(*static_cast<const Plan*>(plan)); },
            new (plan_.data()) Plan, EmergencyHook::Order::last) {
    auto& plan = *reinterpret_cast<Plan*>(plan_.data());
    record.outcome = RunOutcome::failed;
    record.outcome_sentence = mark_of_sentence;
    record.totals.steps = mark_of_steps;
    record.totals.simulated_seconds = mark_of_seconds;
    for (std::size_t k = 0; k < std::min(record.results.size(), numbers.rows.size()); ++k)
        record.results[k].rows = mark_of_rows + k;
    // Blanks at the end: room for a longer record on a disk that is full by then.
    const std::string json = to_json(record) + std::string(spare_bytes, ' ') + '\n';
    text_ = SharedBlock(json.c_str());
    plan.text = text_.data();
    plan.size = json.size();
    plan.numbers = &numbers;
    constexpr std::string_view outcome = "\"outcome\": ";
    plan.find(json, fmt::format("{}\"{}\"", outcome, to_string(record.outcome)),
              {.begin = outcome.size(), .kind = Kind::outcome});
    plan.find(json, fmt::format("\"{}\"", mark_of_sentence), {.kind = Kind::sentence});
    plan.find(json, fmt::format("{}", mark_of_steps), {.kind = Kind::steps});
    plan.find(json, fmt::format("{}", mark_of_seconds), {.kind = Kind::simulated});
    for (std::size_t k = 0; k < std::min(record.results.size(), numbers.rows.size()); ++k)
        plan.find(json, fmt::format("{}", mark_of_rows + k), {.kind = Kind::rows, .index = k});
    std::sort(plan.gaps.begin(), plan.gaps.begin() + static_cast<std::ptrdiff_t>(plan.gap_count),
              [](const Gap& a, const Gap& b) { return a.begin < b.begin; });
    const std::string absolute = std::filesystem::absolute(to.path).string();
    const std::string draft = draft_of(absolute);
    if (draft.size() < plan.draft.size()) {
        std::memcpy(plan.path.data(), absolute.c_str(), absolute.size());
        std::memcpy(plan.draft.data(), draft.c_str(), draft.size());
    }
    if (to.when == Written::at_once_and_at_death && !write(plan))
        throw InputError(to.path, fmt::format("cannot be written: {}", std::strerror(errno)));
}

bool EmergencyRecord::write(const Plan& plan) noexcept {
    const int file = ::open(plan.draft.data(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0) return false;
    Output out(file);
    std::size_t at = 0;
    for (std::size_t k = 0; k < plan.gap_count; ++k) {
        out.put(plan.text + at, plan.gaps[k].begin - at);
        plan.fill(plan.gaps[k], out);
        at = plan.gaps[k].end;
    }
    out.put(plan.text + at, plan.size - at);
    const bool is_written = out.flush();
    const int reason = errno;
    if (::close(file) == 0 && is_written && ::rename(plan.draft.data(), plan.path.data()) == 0)
        return true;
    ::unlink(plan.draft.data());
    errno = reason;
    return false;
}

}  // namespace tandem
