// An analytic profile: what one training step of a transformer keeps and how long it takes, from the model's
// shape.
//
// Bytes. Every operator saves what PyTorch's autograd saves for it, with 2-byte elements in bf16 and fp16 (4
// in fp32), 1-byte dropout masks and fp32 log-sum-exp. A tensor that two operators save is one tensor. Per
// layer this adds up to the published totals (s sequence, b batch, h hidden, a heads, g = kv heads / heads, f
// FFN width):
//   GPT, BERT, eager attention    sbh(34 + 5as/h)            Korthikanti et al. 2022, arXiv 2205.05198, eq. 1
//   the same, FlashAttention      34sbh + 4abs               the scores are recomputed, arXiv 2205.14135
//   Llama, FlashAttention, fused  sb(12h + 4gh + 6f + 4a)    norms, RoPE and SwiGLU as fused kernels
// Where we differ from PyTorch, on purpose:
//   - norms: mean and reciprocal deviation (8 bytes a token) are left out, as in the papers; they are
//   computed in
//     fused kernels, so no fp32 copy of the input is saved. SwiGLU saves gate and up only (an unfused SiLU
//     saves 2f more);
//   - eager softmax is the fused scale-mask-softmax in the element type; grouped keys and values are read in
//   place
//     (Hugging Face's repeat_kv copies them);
//   - gradients that autograd passes on without a copy (through a residual addition) are counted apiece;
//   - dropout inside the FFN (T5) and sliding attention windows are not modelled.
//
// FLOPs. A matrix product of n x i by i x o takes 2nio, its backward two of them. Attention takes
// 2n*s*a*(dk + dv), half of it when causal with FlashAttention; its backward 2.5 times that with
// FlashAttention (arXiv 2307.08691, section 4.1), twice with eager attention, which never skips the masked
// half. Times. A kernel takes max(FLOPs / (matmul efficiency x peak), bytes moved / (memory efficiency x
// bandwidth)) plus its launch; an operator is the sum of its kernels. fp32 uses the TF32 peak where the
// device has one.
//
// Loss. `Chunked` is the fused linear cross entropy of Liger Kernel (arXiv 2410.10989): the forward computes
// logits chunk by chunk, and from each at once the gradient of the input and of the weight (three matrix
// products); what is saved is the input's gradient, and the backward only scales it. `Full` is
// F.cross_entropy(logits.float()): whole logits, their fp32 copy (not in fp32), and the log-softmax, which is
// saved.
//
// Model state: 16 bytes a parameter with Adam (mixed precision: weight 2, gradient 2, fp32 master weight,
// mean and variance 12; Rajbhandari et al. 2020, arXiv 1910.02054, section 3.1; fp32: weight 4, gradient 4,
// mean and variance 8).
#pragma once

#include "core/profile/input_error.h"
#include "core/profile/profile.h"

#include <tl/expected.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace slackscope {

enum class Architecture { DecoderOnly, EncoderOnly, EncoderDecoder };
enum class NormKind { LayerNorm, RmsNorm };
// Pre: x + f(norm(x)). Post: norm(x + f(x)), as BERT. Sandwich: x + norm(f(norm(x))), as Gemma 2.
enum class NormPlacement { Pre, Post, Sandwich };
enum class MlpKind { Gelu, Relu, SwiGlu, GeGlu };
enum class PositionKind { None, Learned, Rotary };
// Attention and FFN side by side on the same input, behind one norm (GPT-J, Falcon 7B) or one each
// (GPT-NeoX).
enum class ParallelBlock { None, SharedNorm, TwoNorms };

struct MixtureOfExperts {
    std::int64_t experts = 0;
    std::int64_t activePerToken = 0;
    std::int64_t sharedExperts = 0; // always active, each as wide as a routed one
    std::int64_t expertWidth = 0;   // FFN width of one expert
    std::int64_t denseLayersFirst = 0;
    bool operator==(const MixtureOfExperts&) const = default;
};

// Multi-head latent attention (DeepSeek-V2, arXiv 2405.04434): keys and values through a low-rank bottleneck.
struct LatentAttention {
    std::int64_t queryRank = 0; // 0: queries come straight from the hidden state
    std::int64_t keyValueRank = 0;
    std::int64_t plainHeadDim = 0;  // of queries and keys, without position
    std::int64_t rotaryHeadDim = 0; // of queries and keys, rotated; the key part is shared by all heads
    std::int64_t valueHeadDim = 0;
    bool operator==(const LatentAttention&) const = default;
};

// The shape of a model. Widths and counts are in elements.
struct TransformerConfig {
    std::string name;
    Architecture architecture = Architecture::DecoderOnly;
    std::int64_t layers = 0;        // of the only stack, or of the decoder
    std::int64_t encoderLayers = 0; // EncoderDecoder only; both stacks have the same sequence length
    std::int64_t hidden = 0;
    std::int64_t heads = 0;
    std::int64_t kvHeads = 0;
    std::int64_t headDim = 0;
    std::int64_t ffnWidth = 0;
    std::int64_t vocabulary = 0;
    NormKind norm = NormKind::LayerNorm;
    NormPlacement normPlacement = NormPlacement::Pre;
    MlpKind mlp = MlpKind::Gelu;
    ParallelBlock parallelBlock = ParallelBlock::None;
    std::optional<MixtureOfExperts> moe;
    std::optional<LatentAttention> latentAttention;
    PositionKind positions = PositionKind::None;
    std::int64_t learnedPositions = 0; // rows of the position table; Learned only
    std::int64_t tokenTypes = 0;       // rows of BERT's segment table
    std::int64_t relativeBuckets = 0;  // T5: rows of the relative position bias of each stack
    bool dropout = false;              // behind attention, FFN and embedding
    bool attentionDropout = false;     // on the softmax; FlashAttention keeps no mask
    bool qkNorm = false;               // an RMSNorm of every query and key head
    bool embeddingNorm = false;        // behind the embedding
    bool tiedEmbeddings = false;       // the LM head is the embedding table
    bool headTransform = false;        // BERT's dense, GELU and norm before the LM head
    bool qkvBias = false;
    bool attentionOutputBias = false;
    bool mlpBias = false;
    bool normBias = false;
    bool headBias = false;
    std::int64_t defaultBatch = 1;
    std::int64_t defaultSequence = 1024;
    std::vector<std::string> notes; // parts of the model that the profile leaves out; shown with its source
    bool operator==(const TransformerConfig&) const = default;
};

enum class Precision { Bf16, Fp16, Fp32 };
enum class Attention { Flash, Eager };
enum class Loss { Chunked, Full };

// What the user may choose; absent = the default of `withDefaults`.
struct AnalyticOptions {
    std::optional<std::int64_t> batch;
    std::optional<std::int64_t> sequence;
    std::optional<Precision> precision;
    std::optional<Attention> attention;
    std::optional<Loss> loss;
    std::optional<std::string> device; // id, see hardware.h
    std::optional<std::string> link;   // id, see hardware.h
    std::optional<double> matmulEfficiency;
    std::optional<double> memoryEfficiency;
    std::optional<Nanoseconds> launchNs;
    std::optional<Nanoseconds> copyLatencyNs;
    std::optional<std::int64_t> deviceToHostBytesPerS;
    std::optional<std::int64_t> hostToDeviceBytesPerS;
    std::optional<bool> fullDuplex;
    std::optional<Bytes> hostMemoryBytes; // absent = no limit
    bool operator==(const AnalyticOptions&) const = default;
};

// Every option that has a default, filled in: the model's batch and sequence, bf16, FlashAttention, chunked
// loss, "a100-80gb-sxm", "pcie4-x16", matmul efficiency 0.60, memory efficiency 0.80, 5 us launch. What
// belongs to the link (latency, bandwidths, duplex, host memory) stays absent: the link's own figures count.
AnalyticOptions withDefaults(const TransformerConfig& config, AnalyticOptions options);

// The profile, validated. Refuses shapes and options that are out of range, a sequence longer than the
// learned positions, a precision the device has no matrix units for, and steps whose sizes pass 2^53.
tl::expected<Profile, InputError> analyticProfile(const TransformerConfig& config,
                                                  const AnalyticOptions& options = {});

// Trainable parameters of the modelled part, each shared table once.
std::int64_t parameterCount(const TransformerConfig& config);

// The link that the options mean, from the table or from `measured` (a profile's own) where they say nothing.
tl::expected<Link, InputError> chosenLink(const AnalyticOptions& options, std::optional<Link> measured = {});

} // namespace slackscope
