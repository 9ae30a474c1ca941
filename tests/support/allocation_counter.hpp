#pragma once

namespace tandem::testing {

/// How often operator new was called in this process so far.
long allocations();

/// Counts the allocations since it was made.
class AllocationCounter {
public:
    AllocationCounter() : before_(allocations()) {}
    long count() const { return allocations() - before_; }

private:
    long before_;
};

}  // namespace tandem::testing
