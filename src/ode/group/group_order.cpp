#include "ode/group/group_order.hpp"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <utility>

#include "tandem/extend/index.hpp"

namespace tandem::ode {
namespace {

/// How often each member must at least have been asked; sorted by member.
using Counts = std::vector<std::pair<int, int>>;

void merge(Counts& into, const Counts& more) {
    Counts both;
    both.reserve(into.size() + more.size());
    auto a = into.begin();
    auto b = more.begin();
    while (a != into.end() || b != more.end()) {
        if (b == more.end() || (a != into.end() && a->first < b->first)) {
            both.push_back(*a++);
        } else if (a == into.end() || b->first < a->first) {
            both.push_back(*b++);
        } else {
            both.emplace_back(a->first, std::max(a->second, b->second));
            ++a;
            ++b;
        }
    }
    into = std::move(both);
}

/// A member is asked when everything is known that it can be told before this question is answered:
/// the level of a component is the number of questions to its own member that its sources need.
/// When all members wait for each other, the one with most to say begins.
class Orderer {
public:
    Orderer(const numerics::Graph& graph, const numerics::Components& components,
            const std::vector<int>& owner)
        : owner_(owner), sources_(owner.size()), targets_(owner.size()) {
        for (int c = 0; c < count(); ++c)
            for (const int node : components.members[index(c)])
                for (const int next : graph.successors(node)) {
                    const int target = components.of_node[index(next)];
                    if (target != c) targets_[index(c)].push_back(target);
                }
        for (int c = 0; c < count(); ++c) {
            auto& own = targets_[index(c)];
            std::ranges::sort(own);
            const auto repeated = std::ranges::unique(own);
            own.erase(repeated.begin(), repeated.end());
            for (const int target : own) sources_[index(target)].push_back(c);
        }
    }

    std::vector<CallBatch> order() {
        begin();
        while (left_ > 0) {
            if (candidates_.empty()) {
                ask(most_to_say());
                if (left_ > 0 && recounts_++ < most_recounts) find_levels();
                for (int m = 0; m < static_cast<int>(open_.size()); ++m) candidates_.push_back(m);
                continue;
            }
            const int member = candidates_.front();
            candidates_.pop_front();
            if (is_worth_asking(member)) ask(member);
        }
        return std::move(questions_);
    }

private:
    /// Counting anew after a member began is worth it for few; it costs as much as the first time.
    static constexpr int most_recounts = 30;

    int count() const { return static_cast<int>(owner_.size()); }

    void begin() {
        left_ = count();
        is_done_.assign(owner_.size(), false);
        open_.resize(owner_.empty() ? 0 : index(*std::ranges::max_element(owner_)) + 1);
        for (int c = 0; c < count(); ++c) {
            open_[index(owner_[index(c)])].push_back(c);
            missing_.push_back(static_cast<int>(sources_[index(c)].size()));
        }
        find_levels();
        for (int m = 0; m < static_cast<int>(open_.size()); ++m) candidates_.push_back(m);
    }

    /// Components are numbered in topological order.
    void find_levels() {
        level_.assign(owner_.size(), 0);
        std::vector<Counts> counts(owner_.size());
        std::vector<std::size_t> users(owner_.size());
        for (int c = 0; c < count(); ++c) users[index(c)] = targets_[index(c)].size();
        for (int c = 0; c < count(); ++c) {
            if (is_done_[index(c)]) continue;
            Counts& own = counts[index(c)];
            for (const int source : sources_[index(c)]) {
                merge(own, counts[index(source)]);
                if (--users[index(source)] == 0) Counts().swap(counts[index(source)]);
            }
            const int member = owner_[index(c)];
            const auto found = std::ranges::find(own, member, &Counts::value_type::first);
            level_[index(c)] = found == own.end() ? 1 : found->second + 1;
            merge(own, {{member, level_[index(c)]}});
        }
    }

    bool is_worth_asking(int member) const {
        const auto& open = open_[index(member)];
        if (open.empty()) return false;
        int lowest = level_[index(open.front())];
        for (const int c : open) lowest = std::min(lowest, level_[index(c)]);
        return std::ranges::all_of(
            open, [&](int c) { return level_[index(c)] > lowest || missing_[index(c)] == 0; });
    }

    int most_to_say() const {
        std::ptrdiff_t most = 0;
        int chosen = 0;
        for (std::size_t m = 0; m < open_.size(); ++m) {
            const auto ready =
                std::ranges::count_if(open_[m], [&](int c) { return missing_[index(c)] == 0; });
            if (ready <= most) continue;
            most = ready;
            chosen = static_cast<int>(m);
        }
        return chosen;
    }

    void ask(int member) {
        CallBatch question;
        for (const int c : open_[index(member)])
            if (missing_[index(c)] == 0) question.push_back(c);
        std::erase_if(open_[index(member)], [&](int c) { return missing_[index(c)] == 0; });
        for (const int c : question) {
            is_done_[index(c)] = true;
            --left_;
            for (const int target : targets_[index(c)])
                if (--missing_[index(target)] == 0) candidates_.push_back(owner_[index(target)]);
        }
        questions_.push_back(std::move(question));
    }

    const std::vector<int>& owner_;
    std::vector<std::vector<int>> sources_, targets_, open_;
    std::vector<int> missing_, level_;
    std::vector<bool> is_done_;
    std::deque<int> candidates_;
    std::vector<CallBatch> questions_;
    int left_ = 0, recounts_ = 0;
};

}  // namespace

std::vector<CallBatch> order_calls(const numerics::Graph& graph,
                                   const numerics::Components& components,
                                   const std::vector<int>& owner) {
    return Orderer(graph, components, owner).order();
}

}  // namespace tandem::ode
