#include "support/linear_network.hpp"

#include <gtest/gtest.h>

#include <Eigen/SVD>
#include <cmath>
#include <unsupported/Eigen/MatrixFunctions>
#include <utility>

namespace tandem::test {
MatrixXd block_diagonal(const MatrixXd& first, const MatrixXd& second) {
    MatrixXd both = MatrixXd::Zero(first.rows() + second.rows(), first.cols() + second.cols());
    both.topLeftCorner(first.rows(), first.cols()) = first;
    both.bottomRightCorner(second.rows(), second.cols()) = second;
    return both;
}

LinearPart linear_part(ode::HostedOde& host) {
    const auto n = static_cast<Eigen::Index>(host.states().size());
    const auto m = static_cast<Eigen::Index>(host.interface().inputs.size());
    const auto p = static_cast<Eigen::Index>(host.interface().outputs.size());
    LinearPart part{MatrixXd(n, n), MatrixXd(n, m), MatrixXd(p, n), MatrixXd(p, m), VectorXd(n)};
    using Block = ode::HostedOde::Block;
    for (const auto& [block, matrix] : {std::pair{Block::a, &part.a},
                                        {Block::b, &part.b},
                                        {Block::c, &part.c},
                                        {Block::d, &part.d}})
        host.jacobian(block, {matrix->data(), static_cast<std::size_t>(matrix->size())});
    const VectorXd x = Eigen::Map<const VectorXd>(host.states().data(), n);
    const VectorXd u = Eigen::Map<const VectorXd>(host.inputs().data(), m);
    std::vector<double> dx(static_cast<std::size_t>(n));
    EXPECT_TRUE(host.model().set_point({host.time(), host.states(), host.inputs()}));
    EXPECT_TRUE(host.model().derivatives(dx));
    part.f = Eigen::Map<const VectorXd>(dx.data(), n) - part.a * x - part.b * u;
    return part;
}

void expect_exact_jacobian(ode::HostedOde& host, double tolerance) {
    ASSERT_TRUE(host.model().shape().exact_jacobian);
    const LinearPart part = linear_part(host);
    const Eigen::Index n = part.a.rows(), p = part.c.rows();
    std::vector<double> x(host.states().begin(), host.states().end());
    std::vector<double> u(host.inputs().begin(), host.inputs().end());
    const auto rates_and_outputs = [&] {
        VectorXd both(n + p);
        EXPECT_TRUE(host.model().set_point({host.time(), x, u}));
        EXPECT_TRUE(host.model().derivatives({both.data(), static_cast<std::size_t>(n)}));
        EXPECT_TRUE(host.model().outputs({both.data() + n, static_cast<std::size_t>(p)}));
        return both;
    };
    const auto is_near = [&](const VectorXd& column, const VectorXd& difference) {
        return column.size() == 0 || (column - difference).cwiseAbs().maxCoeff() <=
                                         tolerance * column.cwiseAbs().maxCoeff();
    };
    const auto check = [&](double& value, const VectorXd& rates, const VectorXd& outputs,
                           const Port& port) {
        const double middle = value, increment = 1e-5 * port.nominal;
        value = middle + increment;
        const VectorXd above = rates_and_outputs();
        value = middle - increment;
        const VectorXd difference = (above - rates_and_outputs()) / (2.0 * increment);
        value = middle;
        EXPECT_TRUE(is_near(rates, difference.head(n))) << "rates by " << port.name;
        EXPECT_TRUE(is_near(outputs, difference.tail(p))) << "outputs by " << port.name;
    };
    const ode::OdeShape& shape = host.model().shape();
    for (std::size_t i = 0; i < x.size(); ++i) {
        const auto k = static_cast<Eigen::Index>(i);
        check(x[i], part.a.col(k), part.c.col(k), shape.states[i]);
    }
    for (std::size_t i = 0; i < u.size(); ++i) {
        const auto k = static_cast<Eigen::Index>(i);
        check(u[i], part.b.col(k), part.d.col(k), shape.inputs[i]);
    }
}

LinearNetwork::Whole LinearNetwork::whole() const {
    const MatrixXd loop = MatrixXd::Identity(c.rows(), c.rows()) - d * k;
    const MatrixXd y = loop.partialPivLu().solve(c);
    return {a + b * k * y, y, f};
}

LinearNetwork joined(std::span<const LinearPart> parts, std::span<const Link> links,
                     const VectorXd& start) {
    LinearNetwork network;
    network.start = start;
    for (const LinearPart& part : parts) {
        network.a = block_diagonal(network.a, part.a);
        network.b = block_diagonal(network.b, part.b);
        network.c = block_diagonal(network.c, part.c);
        network.d = block_diagonal(network.d, part.d);
        VectorXd f(network.f.size() + part.f.size());
        f << network.f, part.f;
        network.f = f;
    }
    network.k = MatrixXd::Zero(network.b.cols(), network.c.rows());
    for (const Link& link : links) network.k(link.input, link.output) += link.gain;
    return network;
}

LinearNetwork linear_network(CoupledRun& run) {
    std::vector<LinearPart> parts;
    for (int s = 0; s < run.system().size(); ++s) parts.push_back(linear_part(run.host(s)));
    return joined(parts, run.system().links(), run.states());
}

MatrixXd exponential(const MatrixXd& matrix) { return matrix.exp(); }

Samples exact_samples(const LinearNetwork& network, double h, long steps) {
    const LinearNetwork::Whole whole = network.whole();
    const Eigen::Index n = whole.a.rows();
    MatrixXd extended = MatrixXd::Zero(n + 1, n + 1);
    extended.topLeftCorner(n, n) = whole.a;
    extended.topRightCorner(n, 1) = whole.f;
    const MatrixXd step = (h * extended).exp();
    VectorXd z(n + 1);
    z << network.start, 1.0;
    Samples samples(whole.outputs.rows(), steps + 1);
    for (long k = 0; k <= steps; ++k, z = step * z) samples.col(k) = whole.outputs * z.head(n);
    return samples;
}

Propagator propagator(const MatrixXd& a, const MatrixXd& b, double h) {
    const Eigen::Index n = a.rows(), m = b.cols();
    MatrixXd all = MatrixXd::Zero(n + 2 * m, n + 2 * m);
    all.topLeftCorner(n, n) = h * a;
    all.block(0, n, n, m) = h * b;
    all.block(n, n + m, m, m).setIdentity();
    const MatrixXd e = all.exp();
    return {e.topLeftCorner(n, n), e.block(0, n, n, m), e.block(0, n + m, n, m)};
}

std::vector<std::complex<double>> eigenvalues(const MatrixXd& matrix) {
    const Eigen::VectorXcd values = matrix.eigenvalues();
    return {values.begin(), values.end()};
}

double spectral_radius(const MatrixXd& step) { return step.eigenvalues().cwiseAbs().maxCoeff(); }

double stability_limit(const std::function<double(double h)>& radius, double begin, double end) {
    constexpr double ratio = 1.005;
    double stable = begin;
    while (radius(stable * ratio) < 1.0) {
        stable *= ratio;
        if (stable >= end) return end;
    }
    double unstable = stable * ratio;
    for (int i = 0; i < 40; ++i) {
        const double middle = 0.5 * (stable + unstable);
        (radius(middle) < 1.0 ? stable : unstable) = middle;
    }
    return stable;
}

double measured_radius(CoupledRun& run, double h, const GrowthOptions& options) {
    std::vector<Eigen::VectorXd> states;
    for (long k = 0; k < options.settle; ++k) run.advance(h);
    const long needed = options.count + (options.delays + 1) * options.stride;
    for (long k = 0; k < needed; ++k, run.advance(h)) states.push_back(run.states());
    const Eigen::Index n = states[0].size();
    const auto stacked = [&](long shift) {
        Eigen::MatrixXd z(n * options.delays, options.count);
        for (long k = 0; k < options.count; ++k)
            for (long d = 0; d < options.delays; ++d)
                z.block(n * d, k, n, 1) =
                    states[static_cast<std::size_t>(k + shift + d * options.stride)];
        return z;
    };
    const Eigen::MatrixXd now = stacked(0), later = stacked(options.stride);
    const Eigen::BDCSVD<Eigen::MatrixXd> svd(now, Eigen::ComputeThinU | Eigen::ComputeThinV);
    Eigen::Index rank = 0;
    while (rank < svd.singularValues().size() &&
           svd.singularValues()[rank] > options.noise * svd.singularValues()[0])
        ++rank;
    const Eigen::MatrixXd u = svd.matrixU().leftCols(rank), v = svd.matrixV().leftCols(rank);
    const Eigen::MatrixXd step =
        u.transpose() * later * v * svd.singularValues().head(rank).cwiseInverse().asDiagonal();
    return std::pow(step.eigenvalues().cwiseAbs().maxCoeff(),
                    1.0 / static_cast<double>(options.stride));
}

}  // namespace tandem::test
