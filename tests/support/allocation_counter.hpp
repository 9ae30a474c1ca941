#pragma once

namespace tandem::test {

/// How often memory was asked for in this process so far, except by FMUs: malloc and its kin, and
/// with them operator new. In builds with sanitizers: operator new alone, perhaps of FMUs as well.
long allocations();

/// Counts the allocations since it was made.
class AllocationCounter {
public:
    AllocationCounter() : before_(allocations()) {}
    long count() const { return allocations() - before_; }

private:
    long before_;
};

}  // namespace tandem::test
