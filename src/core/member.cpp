#include "core/member.hpp"

namespace tandem {

std::vector<Member> members_alone(System& system) {
    std::vector<Member> members;
    for (int s = 0; s < system.size(); ++s)
        members.push_back({system.at(s).name(), &system.at(s).variables(), s, ""});
    return members;
}

}  // namespace tandem
