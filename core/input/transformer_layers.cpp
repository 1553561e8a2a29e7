#include "core/input/transformer_layers.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace slackscope {

namespace {

// dgrad and wgrad move the same three matrices as the forward product, each in another role.
std::vector<Kernel> twice(const Kernel& kernel) {
    return {kernel, kernel};
}

std::vector<TensorIndex> joined(std::vector<TensorIndex> a, const std::vector<TensorIndex>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

} // namespace

LayerWriter::LayerWriter(const Run& run, StepWriter& out)
    : run_(run), config_(run.config), out_(out), tokens_(out.size({run.batch, run.sequence})),
      e_(run.elementBytes) {}

std::int64_t LayerWriter::queryKeyDim() const {
    const auto& latent = config_.latentAttention;
    return latent ? latent->plainHeadDim + latent->rotaryHeadDim : config_.headDim;
}

std::int64_t LayerWriter::valueDim() const {
    return config_.latentAttention ? config_.latentAttention->valueHeadDim : config_.headDim;
}

double LayerWriter::bytesMoved(std::initializer_list<TensorIndex> tensors) const {
    double bytes = 0;
    for (const TensorIndex t : tensors)
        bytes += static_cast<double>(out_.bytesOf(t));
    return bytes;
}

TensorIndex LayerWriter::activation(const std::string& name, std::string kind, std::int64_t width) {
    return out_.tensor(name, std::move(kind), out_.size({tokens_, width, e_}), Gradient::Yes);
}

TensorIndex LayerWriter::norm(TensorIndex x, const std::string& name, std::string kind, std::int64_t width) {
    const TensorIndex y = activation(name + ".out", std::move(kind), width);
    out_.add({name,
              config_.norm == NormKind::RmsNorm ? "rms norm" : "layer norm",
              {{0, bytesMoved({x, y})}},
              {{0, bytesMoved({x, x, y})}}, // reads x and dy, writes dx
              {x},
              {y},
              {x}});
    return y;
}

std::vector<TensorIndex> LayerWriter::linear(TensorIndex x, std::int64_t width, const std::string& name,
                                             const std::vector<Part>& parts) {
    std::vector<TensorIndex> outputs;
    std::int64_t outWidth = 0;
    for (const Part& part : parts) {
        outputs.push_back(
            activation(name + "." + (part.name.empty() ? "out" : part.name), part.kind, part.width));
        outWidth += part.width;
    }
    const double n = static_cast<double>(tokens_);
    const double in = static_cast<double>(width);
    const double outSize = static_cast<double>(outWidth);
    const Kernel product{2 * n * in * outSize,
                         static_cast<double>(e_) * (n * in + in * outSize + n * outSize)};
    out_.add({name, "linear", {product}, twice(product), {x}, outputs, {x}});
    return outputs;
}

TensorIndex LayerWriter::dropout(TensorIndex x, const std::string& name, std::string kind,
                                 std::string maskKind) {
    const Bytes bytes = out_.bytesOf(x);
    const TensorIndex y = out_.tensor(name + ".out", std::move(kind), bytes, Gradient::Yes);
    const TensorIndex mask = out_.tensor(name + ".mask", std::move(maskKind), bytes / e_, Gradient::No);
    const Kernel kernel{0, bytesMoved({x, y, mask})};
    out_.add({name, "dropout", {kernel}, {kernel}, {x}, {y, mask}, {mask}});
    return y;
}

TensorIndex LayerWriter::add(TensorIndex a, TensorIndex b, const std::string& name, std::string kind) {
    const TensorIndex y = out_.tensor(name + ".out", std::move(kind), out_.bytesOf(a), Gradient::Yes);
    // The backward hands its gradient on; the sum of the two branches' gradients is the kernel counted here.
    const Kernel kernel{0, bytesMoved({a, b, y})};
    out_.add({name, "add", {kernel}, {kernel}, {a, b}, {y}, {}});
    return y;
}

TensorIndex LayerWriter::embedding(const std::string& stack) {
    out_.beginPart(stack.empty() ? "" : stack + ".", std::nullopt);
    const TensorIndex ids = out_.tensor("tokens", "token ids", out_.size({tokens_, 8}), Gradient::No);
    TensorIndex x = activation("embedding.out", "embedding", config_.hidden);
    const double table = static_cast<double>(config_.vocabulary) * static_cast<double>(config_.hidden) *
                         static_cast<double>(e_);
    out_.add(
        {"embedding",
         "embedding",
         {{0, bytesMoved({ids, x, x})}},
         {{0, table}, {0, bytesMoved({ids, x, x, x})}}, // clears the table's gradient, then adds rows to it
         {ids},
         {x},
         {ids}});
    if (config_.embeddingNorm)
        x = norm(x, "embedding_norm", "embedding norm", config_.hidden);
    if (config_.dropout)
        x = dropout(x, "embedding_dropout", "embedding", "embedding mask");
    return x;
}

TensorIndex LayerWriter::layer(TensorIndex x, bool causal, bool experts, TensorIndex encoded) {
    const std::int64_t h = config_.hidden;
    const bool post = config_.normPlacement == NormPlacement::Post;
    const bool sandwich = config_.normPlacement == NormPlacement::Sandwich;
    const auto branchEnd = [&](TensorIndex y, const std::string& number) {
        if (sandwich)
            y = norm(y, "post_" + normName(number), "post norm " + number, h);
        return config_.dropout ? dropout(y, "dropout" + number, "", "mask " + number) : y;
    };

    const TensorIndex attentionInput = post ? x : norm(x, normName("1"), "norm 1", h);
    TensorIndex attention = config_.latentAttention ? latentAttention(attentionInput, causal)
                                                    : selfAttention(attentionInput, causal);
    attention = branchEnd(attention, "1");
    TensorIndex ffnInput = attentionInput;
    if (config_.parallelBlock == ParallelBlock::TwoNorms)
        ffnInput = norm(x, normName("2"), "norm 2", h);
    x = add(x, attention, "add1", "residual 1");
    if (config_.parallelBlock == ParallelBlock::None) {
        if (post)
            x = norm(x, normName("1"), "norm 1", h);
        if (encoded >= 0) {
            TensorIndex cross = post ? x : norm(x, normName("_cross"), "norm cross", h);
            cross = branchEnd(crossAttention(cross, encoded), "_cross");
            x = add(x, cross, "add_cross", "residual cross");
            if (post)
                x = norm(x, normName("_cross"), "norm cross", h);
        }
        ffnInput = post ? x : norm(x, normName("2"), "norm 2", h);
    }
    TensorIndex ffn = experts ? mixture(ffnInput) : feedForward(ffnInput, config_.ffnWidth, "", "");
    ffn = branchEnd(ffn, "2");
    x = add(x, ffn, "add2", "residual 2");
    return post ? norm(x, normName("2"), "norm 2", h) : x;
}

TensorIndex LayerWriter::selfAttention(TensorIndex x, bool causal) {
    const std::int64_t h = config_.hidden;
    const std::int64_t d = config_.headDim;
    const std::int64_t keys = config_.kvHeads * d;
    const std::int64_t queriesAndKeys = config_.heads * d + keys;
    TensorIndex y = -1;
    if (config_.positions == PositionKind::Rotary || config_.qkNorm) {
        const auto parts = linear(x, h, "qkv", {{"qk", "QK", queriesAndKeys}, {"v", "V", keys}});
        TensorIndex qk = parts[0];
        if (config_.qkNorm)
            qk = norm(qk, "qk_norm", "QK normed", queriesAndKeys);
        if (config_.positions == PositionKind::Rotary) {
            const TensorIndex rotated = activation("rope.out", "QK rotated", queriesAndKeys);
            const Kernel kernel{0, bytesMoved({qk, rotated})}; // saves only the shared cosine table
            out_.add({"rope", "rope", {kernel}, {kernel}, {qk}, {rotated}, {}});
            qk = rotated;
        }
        y = attentionCore({qk}, {parts[1]}, causal, {"", ""});
    } else {
        const TensorIndex qkv = linear(x, h, "qkv", {{"", "QKV", queriesAndKeys + keys}})[0];
        y = attentionCore({qkv}, {}, causal, {"", ""});
    }
    return linear(y, config_.heads * d, "projection", {{"", "projection", h}})[0];
}

TensorIndex LayerWriter::latentAttention(TensorIndex x, bool causal) {
    const LatentAttention& latent = *config_.latentAttention;
    const std::int64_t h = config_.hidden;
    const std::int64_t a = config_.heads;
    const std::int64_t queries = a * queryKeyDim();
    TensorIndex q = -1;
    if (latent.queryRank > 0) {
        q = linear(x, h, "q_down", {{"", "Q latent", latent.queryRank}})[0];
        q = norm(q, "q_norm", "Q latent normed", latent.queryRank);
        q = linear(q, latent.queryRank, "q_up", {{"", "Q", queries}})[0];
    } else {
        q = linear(x, h, "q", {{"", "Q", queries}})[0];
    }
    const auto down =
        linear(x, h, "kv_down",
               {{"", "KV latent", latent.keyValueRank}, {"k_rope", "K rope", latent.rotaryHeadDim}});
    const TensorIndex normed = norm(down[0], "kv_norm", "KV latent normed", latent.keyValueRank);
    const auto up = linear(normed, latent.keyValueRank, "kv_up",
                           {{"k", "K", a * latent.plainHeadDim}, {"v", "V", a * latent.valueHeadDim}});
    const TensorIndex rotated = activation("rope.out", "QK rotated", 2 * queries);
    const Kernel kernel{0, bytesMoved({q, down[1], up[0], rotated})};
    out_.add({"rope", "rope", {kernel}, {kernel}, {q, down[1], up[0]}, {rotated}, {}});
    const TensorIndex y = attentionCore({rotated}, {up[1]}, causal, {"", ""});
    return linear(y, a * latent.valueHeadDim, "projection", {{"", "projection", h}})[0];
}

TensorIndex LayerWriter::crossAttention(TensorIndex x, TensorIndex encoded) {
    const std::int64_t h = config_.hidden;
    const std::int64_t d = config_.headDim;
    const TensorIndex q = linear(x, h, "cross_q", {{"", "cross Q", config_.heads * d}})[0];
    const auto kv = linear(encoded, h, "cross_kv",
                           {{"k", "cross K", config_.kvHeads * d}, {"v", "cross V", config_.kvHeads * d}});
    const TensorIndex y = attentionCore({q, kv[0]}, {kv[1]}, false, {"cross_", "cross "});
    return linear(y, config_.heads * d, "cross_projection", {{"", "cross projection", h}})[0];
}

TensorIndex LayerWriter::attentionCore(const std::vector<TensorIndex>& queriesAndKeys,
                                       const std::vector<TensorIndex>& values, bool causal,
                                       const AttentionNames& names) {
    return run_.attention == Attention::Flash ? flashAttention(joined(queriesAndKeys, values), causal, names)
                                              : eagerAttention(queriesAndKeys, values, names);
}

TensorIndex LayerWriter::flashAttention(const std::vector<TensorIndex>& read, bool causal,
                                        const AttentionNames& names) {
    const std::int64_t a = config_.heads;
    const std::string name = names.prefix + "attention";
    const TensorIndex y = activation(name + ".out", names.kind + "attention", a * valueDim());
    const TensorIndex logSumExp =
        out_.tensor(name + ".lse", names.kind + "log-sum-exp", out_.size({tokens_, a, 4}), Gradient::No);
    const double flops = (causal ? 1.0 : 2.0) * static_cast<double>(tokens_) *
                         static_cast<double>(run_.sequence) *
                         static_cast<double>(a * (queryKeyDim() + valueDim()));
    double readBytes = 0;
    for (const TensorIndex t : read)
        readBytes += bytesMoved({t});
    // The backward adds up the queries' gradient in fp32, beside the row sums of dO * O (arXiv 2205.14135,
    // B.4).
    const Bytes queriesFp32 = out_.size({tokens_, a, queryKeyDim(), 4});
    const Bytes rowSums = out_.size({tokens_, a, 4});
    const double sum = static_cast<double>(queriesFp32);
    Step step{name,
              "attention",
              {{flops, readBytes + bytesMoved({y, logSumExp})}},
              {{0, bytesMoved({y, y}) + static_cast<double>(rowSums)},
               {2.5 * flops, 2 * readBytes + bytesMoved({y, logSumExp}) + sum},
               {0, 1.5 * sum}},
              read,
              {y, logSumExp},
              joined(read, {y, logSumExp})};
    step.backwardWorkspaceBytes = queriesFp32 + rowSums;
    out_.add(std::move(step));
    return y;
}

TensorIndex LayerWriter::eagerAttention(const std::vector<TensorIndex>& queriesAndKeys,
                                        const std::vector<TensorIndex>& values, const AttentionNames& names) {
    const std::int64_t a = config_.heads;
    const auto square = [&](const std::string& name, std::string kind, std::int64_t elementBytes,
                            Gradient gradient) {
        return out_.tensor(names.prefix + name, names.kind + std::move(kind),
                           out_.size({tokens_, run_.sequence, a, elementBytes}), gradient);
    };
    const double pairs =
        static_cast<double>(tokens_) * static_cast<double>(run_.sequence) * static_cast<double>(a);
    double readBytes = 0;
    for (const TensorIndex t : joined(queriesAndKeys, values))
        readBytes += bytesMoved({t});

    const TensorIndex scores = square("scores.out", "scores", e_, Gradient::Yes);
    const Kernel scoresProduct{2 * pairs * static_cast<double>(queryKeyDim()),
                               readBytes + bytesMoved({scores})};
    out_.add({names.prefix + "scores",
              "attention",
              {scoresProduct},
              twice(scoresProduct),
              queriesAndKeys,
              {scores},
              queriesAndKeys});

    TensorIndex weights = square("softmax.out", "softmax", e_, Gradient::Yes);
    out_.add({names.prefix + "softmax",
              "softmax",
              {{0, bytesMoved({scores, weights})}},
              {{0, bytesMoved({scores, weights, weights})}},
              {scores},
              {weights},
              {weights}});
    if (config_.attentionDropout)
        weights = dropout(weights, names.prefix + "attention_dropout", names.kind + "dropped softmax",
                          names.kind + "attention mask");

    const TensorIndex y =
        activation(names.prefix + "attention.out", names.kind + "attention", a * valueDim());
    const std::vector<TensorIndex> read =
        joined({weights}, values.empty() ? queriesAndKeys : values); // V is part of a combined QKV
    const Kernel product{2 * pairs * static_cast<double>(valueDim()), bytesMoved({weights, y, y})};
    out_.add({names.prefix + "attention", "attention", {product}, twice(product), read, {y}, read});
    return y;
}

TensorIndex LayerWriter::feedForward(TensorIndex x, std::int64_t width, const std::string& prefix,
                                     const std::string& kindPrefix) {
    const std::int64_t h = config_.hidden;
    const Part upPart{"", kindPrefix + (isGated() ? "gate and up" : "FFN up"), isGated() ? 2 * width : width};
    const TensorIndex up = linear(x, h, prefix + (isGated() ? "gate_up" : "fc1"), {upPart})[0];
    const TensorIndex y = mlpActivation(up, tokens_, width, prefix, kindPrefix + "activation");
    return linear(y, width, prefix + (isGated() ? "down" : "fc2"), {{"", kindPrefix + "FFN down", h}})[0];
}

TensorIndex LayerWriter::mlpActivation(TensorIndex x, std::int64_t tokens, std::int64_t width,
                                       const std::string& prefix, std::string kind) {
    static constexpr const char* names[] = {"gelu", "relu", "silu_mul", "gelu_mul"}; // as in MlpKind
    const std::string function = names[static_cast<std::size_t>(config_.mlp)];
    const TensorIndex y = out_.tensor(prefix + function + ".out", std::move(kind),
                                      out_.size({tokens, width, e_}), Gradient::Yes);
    const bool savesResult = config_.mlp == MlpKind::Relu; // its sign is all that the backward needs
    out_.add({prefix + function,
              "activation",
              {{0, bytesMoved({x, y})}},
              {{0, bytesMoved({x, x, y})}},
              {x},
              {y},
              {savesResult ? y : x}});
    return y;
}

// Tokens are copied to their experts ("dispatched"), each expert multiplies its share in one grouped product,
// and the outputs return weighted (as Megatron's and MegaBlocks' dropless layers do, arXiv 2211.15841).
TensorIndex LayerWriter::mixture(TensorIndex x) {
    const MixtureOfExperts& moe = *config_.moe;
    const std::int64_t h = config_.hidden;
    const std::int64_t f = moe.expertWidth;
    const std::int64_t rows = out_.size({tokens_, moe.activePerToken});
    const double n = static_cast<double>(rows);
    const double expertsRead = static_cast<double>(std::min(moe.experts, rows));
    const auto spread = [&](const std::string& name, std::string kind, std::int64_t width) {
        return out_.tensor(name, std::move(kind), out_.size({rows, width, e_}), Gradient::Yes);
    };
    const auto grouped = [&](TensorIndex in, std::int64_t inWidth, const std::string& name, std::string kind,
                             std::int64_t outWidth) {
        const TensorIndex out = spread(name + ".out", std::move(kind), outWidth);
        const double weight = static_cast<double>(inWidth) * static_cast<double>(outWidth);
        const Kernel product{2 * n * weight,
                             bytesMoved({in, out}) + expertsRead * weight * static_cast<double>(e_)};
        out_.add({name, "linear", {product}, twice(product), {in}, {out}, {in}});
        return out;
    };

    const TensorIndex weights =
        out_.tensor("router.weights", "routing weights", out_.size({tokens_, moe.experts, 4}), Gradient::Yes);
    const TensorIndex routes = out_.tensor("router.routes", "routes", out_.size({rows, 8}), Gradient::No);
    const double t = static_cast<double>(tokens_);
    const Kernel choose{2 * t * static_cast<double>(h) * static_cast<double>(moe.experts),
                        bytesMoved({x, weights})};
    const Kernel softmax{0, 2 * bytesMoved({weights})};
    out_.add({"router",
              "router",
              {choose, softmax},
              {softmax, choose, choose},
              {x},
              {weights, routes},
              {x, weights}});

    const TensorIndex dispatched = spread("dispatch.out", "dispatched", h);
    const Kernel scatter{0, bytesMoved({dispatched, dispatched, routes})};
    out_.add({"dispatch", "dispatch", {scatter}, {scatter}, {x, routes}, {dispatched}, {routes}});
    const TensorIndex up = grouped(dispatched, h, isGated() ? "experts_gate_up" : "experts_fc1",
                                   isGated() ? "expert gate and up" : "expert FFN up", isGated() ? 2 * f : f);
    const TensorIndex active = mlpActivation(up, rows, f, "experts_", "expert activation");
    const TensorIndex down =
        grouped(active, f, isGated() ? "experts_down" : "experts_fc2", "expert output", h);
    TensorIndex y = activation("combine.out", "FFN down", h);
    const Kernel gather{0, bytesMoved({down, y, routes})};
    out_.add({"combine",
              "combine",
              {gather},
              {{0, 2 * bytesMoved({down}) + bytesMoved({y, routes})}},
              {down, weights, routes},
              {y},
              {down, weights, routes}}); // the experts' outputs, for the gradient of the weights
    if (moe.sharedExperts > 0) {
        const TensorIndex shared = feedForward(x, out_.size({moe.sharedExperts, f}), "shared_", "shared ");
        y = add(y, shared, "add_shared", "FFN down");
    }
    return y;
}

TensorIndex LayerWriter::stackEnd(TensorIndex x) {
    if (config_.normPlacement != NormPlacement::Post)
        x = norm(x, "final_norm", "final norm", config_.hidden);
    if (config_.architecture == Architecture::EncoderDecoder && config_.dropout)
        x = dropout(x, "final_dropout", "final norm", "final mask");
    return x;
}

void LayerWriter::headAndLoss(TensorIndex x) {
    const std::int64_t h = config_.hidden;
    out_.beginPart("", std::nullopt);
    if (config_.headTransform) {
        x = linear(x, h, "head_dense", {{"", "head dense", h}})[0];
        x = mlpActivation(x, tokens_, h, "head_", "head activation");
        x = norm(x, "head_norm", "head norm", h);
    }
    const TensorIndex labels = out_.tensor("labels", "token ids", out_.size({tokens_, 8}), Gradient::No);
    if (run_.loss == Loss::Chunked)
        chunkedLoss(x, labels);
    else
        fullLoss(linear(x, h, "lm_head", {{"", "logits", config_.vocabulary}})[0], labels);
}

void LayerWriter::fullLoss(TensorIndex logits, TensorIndex labels) {
    const auto wide = [&](const std::string& name, std::string kind) {
        return out_.tensor(name, std::move(kind), out_.size({tokens_, config_.vocabulary, 4}), Gradient::Yes);
    };
    if (e_ != 4) {
        const TensorIndex copy = wide("logits_fp32.out", "logits fp32");
        const Kernel kernel{0, bytesMoved({logits, copy})};
        out_.add({"logits_fp32", "cast", {kernel}, {kernel}, {logits}, {copy}, {}});
        logits = copy;
    }
    const TensorIndex logSoftmax = wide("log_softmax.out", "log-softmax");
    out_.add({"log_softmax",
              "softmax",
              {{0, bytesMoved({logits, logSoftmax})}},
              {{0, bytesMoved({logits, logSoftmax, logSoftmax})}},
              {logits},
              {logSoftmax},
              {logSoftmax}});
    const TensorIndex loss = out_.tensor("loss.out", "loss", 4, Gradient::Yes);
    out_.add({"loss",
              "loss",
              {{0, bytesMoved({labels, labels})}},
              {{0, bytesMoved({labels, labels, logSoftmax})}}, // fills the gradient
              {logSoftmax, labels},
              {loss},
              {labels}});
}

void LayerWriter::chunkedLoss(TensorIndex x, TensorIndex labels) {
    const std::int64_t h = config_.hidden;
    const std::int64_t v = config_.vocabulary;
    const auto ceilDiv = [](std::int64_t a, std::int64_t b) { return (a + b - 1) / b; };
    // Liger's choice: chunks so that one chunk's logits are about as large as the input.
    const auto chunk =
        static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(ceilDiv(tokens_, ceilDiv(v, h)))));
    const std::int64_t chunks = ceilDiv(tokens_, chunk);
    const double rows = static_cast<double>(tokens_) / static_cast<double>(chunks); // the last may be shorter
    const double width = static_cast<double>(h);
    const double words = static_cast<double>(v);
    const double e = static_cast<double>(e_);
    const double logitsChunk = rows * words * e;
    // For the logits, the gradient of the input and that of the weight.
    const Kernel product{2 * rows * words * width, words * width * e + rows * width * e + logitsChunk,
                         3 * chunks};
    const Kernel softmax{0, 3 * logitsChunk, chunks};
    const TensorIndex gradient =
        out_.tensor("loss.input_gradient", "head gradient", out_.size({tokens_, h, e_}), Gradient::No);
    const TensorIndex loss = out_.tensor("loss.out", "loss", 4, Gradient::Yes);
    Step step{"loss",      "loss",           {product, softmax}, {{0, bytesMoved({gradient, gradient})}},
              {x, labels}, {gradient, loss}, {gradient}};
    step.forwardWorkspaceBytes = out_.size({std::min(chunk, tokens_), v, e_});
    out_.add(std::move(step));
}

} // namespace slackscope
