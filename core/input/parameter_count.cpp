#include "core/input/transformer.h"

#include "core/profile/units.h"

#include <algorithm>

namespace slackscope {

namespace {

// In 128 bits: widths are below 2^31, so no product of a config that analyticProfile accepts overflows.
class Counter {
public:
    explicit Counter(const TransformerConfig& config) : config_(config), h_(config.hidden) {}

    Wide total() const {
        const bool post = config_.normPlacement == NormPlacement::Post;
        const bool twoStacks = config_.architecture == Architecture::EncoderDecoder;
        const Wide stacks = twoStacks ? 2 : 1;
        const Wide finalNorms = post ? 0 : stacks * norm();
        Wide sum = Wide{config_.vocabulary} * h_ * (config_.tiedEmbeddings ? 1 : 2);
        sum += (stacks * config_.learnedPositions + config_.tokenTypes) * h_;
        sum += stacks * config_.relativeBuckets * config_.heads;
        if (config_.embeddingNorm)
            sum += stacks * norm();
        if (config_.headBias)
            sum += config_.vocabulary;
        if (config_.headTransform)
            sum += Wide{h_} * h_ + h_ + norm();
        const Wide dense = config_.moe ? config_.moe->denseLayersFirst : config_.layers;
        sum += Wide{config_.layers} * (attention() + norms()) + dense * feedForward(config_.ffnWidth);
        if (config_.moe)
            sum += (Wide{config_.layers} - dense) * experts();
        if (twoStacks) // cross attention and its norm; the encoder's own layers
            sum += Wide{config_.layers} * (attention() + norm()) +
                   Wide{config_.encoderLayers} * (attention() + norms() + feedForward(config_.ffnWidth));
        return sum + finalNorms;
    }

private:
    Wide norm() const { return Wide{h_} * (config_.norm == NormKind::LayerNorm && config_.normBias ? 2 : 1); }
    Wide norms() const {
        const bool four = config_.normPlacement == NormPlacement::Sandwich;
        return (four ? 4 : config_.parallelBlock == ParallelBlock::SharedNorm ? 1 : 2) * norm();
    }
    static Wide linear(std::int64_t in, std::int64_t out, bool bias) {
        return Wide{in} * out + (bias ? out : 0);
    }
    Wide attention() const {
        const std::int64_t a = config_.heads;
        if (config_.latentAttention) {
            const LatentAttention& latent = *config_.latentAttention;
            const std::int64_t queries = a * (latent.plainHeadDim + latent.rotaryHeadDim);
            const std::int64_t rank = latent.queryRank;
            const Wide query = rank > 0
                                   ? linear(h_, rank, config_.qkvBias) + rank + linear(rank, queries, false)
                                   : linear(h_, queries, false);
            return query + linear(h_, latent.keyValueRank + latent.rotaryHeadDim, config_.qkvBias) +
                   latent.keyValueRank +
                   linear(latent.keyValueRank, a * (latent.plainHeadDim + latent.valueHeadDim), false) +
                   linear(a * latent.valueHeadDim, h_, config_.attentionOutputBias);
        }
        const std::int64_t d = config_.headDim;
        return linear(h_, (a + 2 * config_.kvHeads) * d, config_.qkvBias) +
               linear(a * d, h_, config_.attentionOutputBias) + (config_.qkNorm ? 2 * d : 0);
    }
    Wide feedForward(std::int64_t width) const {
        const bool gated = config_.mlp == MlpKind::SwiGlu || config_.mlp == MlpKind::GeGlu;
        return linear(h_, gated ? 2 * width : width, config_.mlpBias) + linear(width, h_, config_.mlpBias);
    }
    Wide experts() const {
        return (Wide{config_.moe->experts} + config_.moe->sharedExperts) *
                   feedForward(config_.moe->expertWidth) +
               Wide{h_} * config_.moe->experts;
    }

    const TransformerConfig& config_;
    std::int64_t h_;
};

} // namespace

std::int64_t parameterCount(const TransformerConfig& config) {
    return static_cast<std::int64_t>(std::min<Wide>(Counter(config).total(), largestQuantity));
}

} // namespace slackscope
