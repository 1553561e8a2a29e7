#include "tests/support/profiles.h"

#include <algorithm>
#include <random>
#include <string>

namespace slackscope::test {

std::shared_ptr<const StepGraph> graphOf(Profile profile) {
    return StepGraph::build(std::move(profile)).value();
}

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

namespace {

// Writes the blocks of randomLayers.
class LayerWriter {
public:
    explicit LayerWriter(std::uint64_t seed) : engine_(seed) {}

    Profile write(std::uint64_t seed) {
        profile_.name = "random layers " + std::to_string(seed);
        profile_.source = "test";
        profile_.samplesPerStep = 1;
        width_ = mebi * static_cast<Bytes>(between(4, 16));
        const TensorIndex tokens = tensor("tokens", width_ / 32);
        profile_.tensors.back().gradientBytes = 0;
        const std::size_t target = static_cast<std::size_t>(between(18, 54));
        TensorIndex stream = add("embed", std::nullopt, {tokens}, {width_}, Saves::Inputs, 20'000);
        std::vector<TensorIndex> skips;
        for (int layer = 0; profile_.operators.size() < target; ++layer) {
            if (!skips.empty() && profile_.operators.size() > target / 2 && chance(40)) {
                stream = add("skip", layer, {stream, skips.back()}, {width_}, Saves::Nothing, 20'000);
                skips.pop_back();
            }
            if (chance(15)) // another resolution
                width_ = std::clamp<Bytes>(chance(50) ? width_ * 2 : width_ / 2, 2 * mebi, 32 * mebi);
            stream = block(layer, stream);
            if (profile_.operators.size() < target / 2 && chance(30))
                skips.push_back(stream);
        }
        add("loss", std::nullopt, {stream}, {Bytes{4}}, Saves::Inputs, 60'000);
        setLink();
        return std::move(profile_);
    }

private:
    static constexpr Bytes mebi = Bytes{1} << 20;
    enum class Saves { Nothing, Inputs, Outputs };

    // Not std::uniform_int_distribution: its results differ between standard libraries.
    std::int64_t between(std::int64_t low, std::int64_t high) {
        return low + static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(high - low + 1));
    }
    bool chance(int percent) { return between(0, 99) < percent; }

    TensorIndex tensor(std::string kind, Bytes bytes) {
        const std::string id = kind + std::to_string(profile_.tensors.size());
        profile_.tensors.push_back({id, std::move(kind), bytes, bytes});
        return static_cast<TensorIndex>(profile_.tensors.size()) - 1;
    }
    // Bytes of a tensor `percent` as large as the residual stream, give or take.
    Bytes uneven(std::int64_t percent) { return width_ * percent / 100 * between(70, 130) / 100; }

    // The first output.
    TensorIndex add(const std::string& kind, std::optional<int> layer, std::vector<TensorIndex> inputs,
                    const std::vector<Bytes>& outputs, Saves saves, Nanoseconds typicalNs) {
        Operator op;
        op.id = kind + std::to_string(profile_.operators.size());
        op.kind = kind;
        op.layer = layer;
        op.forwardNs = typicalNs * between(50, 150) / 100;
        op.backwardNs = op.forwardNs * between(100, 250) / 100;
        op.inputs = std::move(inputs);
        for (const Bytes bytes : outputs)
            op.outputs.push_back(tensor(kind, bytes));
        if (saves == Saves::Inputs)
            op.saved = op.inputs;
        else if (saves == Saves::Outputs)
            op.saved = op.outputs;
        if (chance(15))
            op.forwardWorkspaceBytes = uneven(40);
        if (chance(15))
            op.backwardWorkspaceBytes = uneven(60);
        op.recomputable = !chance(4);
        const TensorIndex first = op.outputs.front();
        profile_.operators.push_back(std::move(op));
        return first;
    }

    TensorIndex block(int layer, TensorIndex stream) {
        const TensorIndex norm = add("norm", layer, {stream}, {uneven(100)}, Saves::Inputs, 15'000);
        std::vector<TensorIndex> merged;
        for (std::int64_t branch = 0, branches = between(1, 3); branch < branches; ++branch) {
            const std::int64_t wide = between(50, 250);
            std::vector<Bytes> outputs{uneven(wide)};
            const bool two = chance(15);
            if (two)
                outputs.push_back(uneven(wide / 4));
            TensorIndex value =
                add("project", layer, {norm}, outputs, Saves::Inputs, 2'000 * (50 + wide / 2));
            if (two)
                merged.push_back(value + 1); // the second output
            if (chance(60))
                value = add("activation", layer, {value}, {uneven(wide)},
                            chance(60) ? Saves::Inputs : Saves::Outputs, 40'000);
            merged.push_back(value);
        }
        const TensorIndex down = add("merge", layer, merged, {uneven(100)}, Saves::Inputs, 200'000);
        return add("residual", layer, {stream, down}, {width_}, Saves::Nothing, 20'000);
    }

    void setLink() {
        Bytes all = 0;
        Nanoseconds forwardNs = 0;
        for (const Tensor& each : profile_.tensors)
            all += each.bytes;
        for (const Operator& op : profile_.operators)
            forwardNs += op.forwardNs;
        const std::int64_t perS = all * 1'000'000 / (forwardNs / 1'000) * 100 / between(60, 400);
        profile_.link = {"random link", perS, perS, between(0, 20'000), !chance(20), std::nullopt};
        if (chance(15))
            profile_.link.hostMemoryBytes = all * between(10, 40) / 100;
    }

    std::mt19937_64 engine_;
    Profile profile_;
    Bytes width_ = 0;
};

} // namespace

Profile tinyProfile(std::uint64_t seed) {
    std::mt19937_64 engine(seed);
    const auto between = [&](std::int64_t low, std::int64_t high) {
        return low + static_cast<std::int64_t>(engine() % static_cast<std::uint64_t>(high - low + 1));
    };
    const auto chance = [&](int percent) { return between(0, 99) < percent; };
    Profile profile;
    profile.name = "tiny " + std::to_string(seed);
    profile.source = "test";
    profile.link = {"tiny link",
                    1'000'000'000 / between(1, 3),
                    1'000'000'000 / between(1, 3),
                    chance(30) ? between(1, 4) : 0,
                    chance(70),
                    std::nullopt};
    if (chance(20))
        profile.link.hostMemoryBytes = between(0, 20);
    const std::int64_t operators = between(3, 4);
    for (std::int64_t i = 0; i <= operators; ++i) {
        const Bytes bytes = between(i == 0 ? 0 : 1, i == 0 || i == operators ? 3 : 12);
        profile.tensors.push_back({"t" + std::to_string(i), "", bytes, chance(20) ? bytes : Bytes{0}});
    }
    for (std::int64_t i = 0; i < operators; ++i) {
        const auto input = static_cast<TensorIndex>(i);
        Operator op;
        op.id = "op" + std::to_string(i);
        op.forwardNs = between(0, 12);
        op.backwardNs = between(0, 12);
        op.inputs = {input};
        op.outputs = {input + 1};
        if (input > 0 && chance(30))
            op.inputs.push_back(static_cast<TensorIndex>(between(0, input - 1)));
        for (const TensorIndex t : op.inputs) {
            if (chance(75))
                op.saved.push_back(t);
        }
        if (chance(20))
            op.saved.push_back(input + 1);
        if (chance(15))
            op.forwardWorkspaceBytes = between(1, 6);
        if (chance(15))
            op.backwardWorkspaceBytes = between(1, 6);
        op.recomputable = !chance(10);
        profile.operators.push_back(std::move(op));
    }
    return profile;
}

Profile randomLayers(std::uint64_t seed) {
    return LayerWriter(seed).write(seed);
}

} // namespace slackscope::test
