#pragma once

namespace tandem {

/// What depends on time by a function whose slope jumps here and there: a model, or a law beside
/// the class Law. A solver that steps over such a kink sees only what lies on both sides of it.
class Kinked {
public:
    virtual ~Kinked() = default;
    /// The first kink after t; infinity: none.
    virtual double next_kink(double t) const = 0;
};

}  // namespace tandem
