#include "tests/support/profiles.h"

#include <algorithm>
#include <random>
#include <string>

namespace slackscope::test {

Profile layeredProfile(int layers) {
    Profile profile;
    profile.name = std::to_string(layers) + " layers";
    profile.source = "test";
    profile.tokensPerStep = 4096;
    profile.samplesPerStep = 4;
    profile.link = {"test link", 25'000'000'000, 25'000'000'000, 10'000, true, std::nullopt};
    constexpr Bytes mebi = Bytes{1} << 20;
    const auto tensor = [&](std::string id, std::string kind, Bytes bytes) {
        profile.tensors.push_back({std::move(id), std::move(kind), bytes, bytes});
        return static_cast<TensorIndex>(profile.tensors.size()) - 1;
    };
    TensorIndex residual = tensor("tokens", "tokens", mebi / 8);
    profile.tensors.back().gradientBytes = 0;
    const auto add = [&](const std::string& id, int layer, Nanoseconds forward, std::vector<TensorIndex> in,
                         TensorIndex out, std::vector<TensorIndex> saved) {
        profile.operators.push_back({id,
                                     id.substr(id.find('.') + 1),
                                     layer,
                                     forward,
                                     2 * forward,
                                     std::move(in),
                                     {out},
                                     std::move(saved)});
    };
    const TensorIndex embedded = tensor("embedding.out", "residual", 8 * mebi);
    add("embedding", 0, 20'000, {residual}, embedded, {residual});
    profile.operators.back().layer.reset();
    residual = embedded;
    for (int layer = 0; layer < layers; ++layer) {
        const std::string name = "layer" + std::to_string(layer) + ".";
        const TensorIndex norm = tensor(name + "norm.out", "norm", 8 * mebi);
        add(name + "norm", layer, 15'000, {residual}, norm, {residual});
        const TensorIndex up = tensor(name + "up.out", "up", 32 * mebi);
        add(name + "up", layer, 300'000, {norm}, up, {norm});
        const TensorIndex activation = tensor(name + "activation.out", "activation", 32 * mebi);
        add(name + "activation", layer, 50'000, {up}, activation, {up});
        const TensorIndex down = tensor(name + "down.out", "down", 8 * mebi);
        add(name + "down", layer, 300'000, {activation}, down, {activation});
        const TensorIndex sum = tensor(name + "residual.out", "residual", 8 * mebi);
        add(name + "residual", layer, 20'000, {residual, down}, sum, {});
        residual = sum;
    }
    const TensorIndex loss = tensor("loss.out", "loss", 4);
    add("loss", 0, 100'000, {residual}, loss, {residual});
    profile.operators.back().layer.reset();
    return profile;
}

Profile chainProfile(int operators) {
    Profile profile;
    profile.name = "chain";
    profile.link = {"1 GB/s", 1'000'000'000, 1'000'000'000, 0, true, std::nullopt};
    for (int i = 0; i <= operators; ++i)
        profile.tensors.push_back({"t" + std::to_string(i), "", i == 0 || i == operators ? 0 : 100, 0});
    for (int i = 0; i < operators; ++i)
        profile.operators.push_back(
            {"op" + std::to_string(i), "", std::nullopt, 10, 20, {i}, {i + 1}, {i}, 0, 0, true});
    return profile;
}

ComputeItem forward(OperatorIndex op) {
    return {op, ComputeKind::Forward};
}
ComputeItem backward(OperatorIndex op) {
    return {op, ComputeKind::Backward};
}
ComputeItem recompute(OperatorIndex op) {
    return {op, ComputeKind::Recompute};
}

Profile randomProfile(std::uint64_t seed, const RandomProfile& shape) {
    std::mt19937_64 engine(seed);
    // Not std::uniform_int_distribution: its results differ between standard libraries.
    const auto below = [&](std::uint64_t limit) { return engine() % limit; };
    const auto chance = [&](int percent) { return below(100) < static_cast<std::uint64_t>(percent); };
    Profile profile;
    profile.name = "random " + std::to_string(seed);
    profile.source = "test";
    profile.link = {"random link",
                    static_cast<std::int64_t>(1'000'000'000 >> below(4)),
                    static_cast<std::int64_t>(1'000'000'000 >> below(4)),
                    static_cast<Nanoseconds>(below(50)),
                    chance(70),
                    std::nullopt};
    if (chance(20))
        profile.link.hostMemoryBytes =
            static_cast<Bytes>(below(static_cast<std::uint64_t>(shape.largestTensor) * 4));
    const auto size = [&] {
        return shape.zeroSizes && chance(10)
                   ? Bytes{0}
                   : static_cast<Bytes>(1 + below(static_cast<std::uint64_t>(shape.largestTensor)));
    };
    const auto time = [&] {
        return shape.zeroSizes && chance(10)
                   ? Nanoseconds{0}
                   : static_cast<Nanoseconds>(1 + below(static_cast<std::uint64_t>(shape.longestOperator)));
    };
    const auto newTensor = [&] {
        const Bytes bytes = size();
        profile.tensors.push_back(
            {"t" + std::to_string(profile.tensors.size()), "", bytes, chance(80) ? bytes : Bytes{0}});
        return static_cast<TensorIndex>(profile.tensors.size()) - 1;
    };
    std::vector<TensorIndex> known;
    for (std::uint64_t i = 0, count = 1 + below(2); i < count; ++i)
        known.push_back(newTensor());
    for (int i = 0; i < shape.operators; ++i) {
        Operator op;
        op.id = "op" + std::to_string(i);
        if (chance(80))
            op.layer = i / 4;
        op.forwardNs = time();
        op.backwardNs = time();
        for (std::uint64_t k = 0, count = below(4); k < count; ++k) {
            // Mostly neighbours, now and then a long skip.
            const std::size_t reach = chance(80) ? std::min<std::size_t>(4, known.size()) : known.size();
            op.inputs.push_back(known[known.size() - 1 - below(reach)]);
        }
        for (std::uint64_t k = 0, count = chance(20) ? 2 : (chance(5) ? 0 : 1); k < count; ++k) {
            op.outputs.push_back(newTensor());
        }
        known.insert(known.end(), op.outputs.begin(), op.outputs.end());
        for (const TensorIndex t : op.inputs) {
            if (chance(60))
                op.saved.push_back(t);
        }
        for (const TensorIndex t : op.outputs) {
            if (chance(30))
                op.saved.push_back(t);
        }
        if (chance(20))
            op.forwardWorkspaceBytes = size();
        if (chance(20))
            op.backwardWorkspaceBytes = size();
        op.recomputable = !shape.fixedOperators || !chance(10);
        profile.operators.push_back(std::move(op));
    }
    return profile;
}

} // namespace slackscope::test
