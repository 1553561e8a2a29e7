// The operators of a transformer: its blocks, and what each saves (transformer.h says by which rules).
//
// The kinds of tensors are the rows of the decision map: "norm 1", "QKV", "attention", "log-sum-exp", "mask
// 1", ...
#pragma once

#include "core/input/step_writer.h"
#include "core/input/transformer.h"

namespace slackscope {

// One run of a model: its shape with every choice made.
struct Run {
    const TransformerConfig& config;
    std::int64_t batch = 0;
    std::int64_t sequence = 0;
    std::int64_t elementBytes = 0;
    Attention attention = Attention::Flash;
    Loss loss = Loss::Chunked;
};

class LayerWriter {
public:
    LayerWriter(const Run& run, StepWriter& out);

    // Token table, positions, and the norm and dropout behind them.
    TensorIndex embedding(const std::string& stack);
    // One layer of a stack. `encoded`: the encoder's output for cross attention, or -1.
    TensorIndex layer(TensorIndex x, bool causal, bool experts, TensorIndex encoded);
    // Norm (and dropout, T5) behind the last layer of a stack.
    TensorIndex stackEnd(TensorIndex x);
    // LM head and loss.
    void headAndLoss(TensorIndex x);

private:
    struct Part {
        std::string name; // of the tensor's id; empty: "out"
        std::string kind;
        std::int64_t width = 0;
    };
    struct AttentionNames {
        std::string prefix; // of operators: "" or "cross_"
        std::string kind;   // of tensors: "" or "cross "
    };

    TensorIndex activation(const std::string& name, std::string kind, std::int64_t width);
    TensorIndex norm(TensorIndex x, const std::string& name, std::string kind, std::int64_t width);
    std::vector<TensorIndex> linear(TensorIndex x, std::int64_t width, const std::string& name,
                                    const std::vector<Part>& parts);
    TensorIndex dropout(TensorIndex x, const std::string& name, std::string kind, std::string maskKind);
    TensorIndex add(TensorIndex a, TensorIndex b, const std::string& name, std::string kind);
    TensorIndex selfAttention(TensorIndex x, bool causal);
    TensorIndex latentAttention(TensorIndex x, bool causal);
    TensorIndex crossAttention(TensorIndex x, TensorIndex encoded);
    TensorIndex attentionCore(const std::vector<TensorIndex>& queriesAndKeys,
                              const std::vector<TensorIndex>& values, bool causal,
                              const AttentionNames& names);
    TensorIndex flashAttention(const std::vector<TensorIndex>& read, bool causal,
                               const AttentionNames& names);
    TensorIndex eagerAttention(const std::vector<TensorIndex>& queriesAndKeys,
                               const std::vector<TensorIndex>& values, const AttentionNames& names);
    TensorIndex feedForward(TensorIndex x, std::int64_t width, const std::string& prefix,
                            const std::string& kindPrefix);
    TensorIndex mlpActivation(TensorIndex x, std::int64_t tokens, std::int64_t width, const std::string& name,
                              std::string kind);
    TensorIndex mixture(TensorIndex x);
    void fullLoss(TensorIndex logits, TensorIndex labels);
    void chunkedLoss(TensorIndex x, TensorIndex labels);

    bool isGated() const { return config_.mlp == MlpKind::SwiGlu || config_.mlp == MlpKind::GeGlu; }
    std::string normName(const std::string& number) const {
        return (config_.norm == NormKind::RmsNorm ? "rms" : "ln") + number;
    }
    std::int64_t queryKeyDim() const;
    std::int64_t valueDim() const;
    double bytesMoved(std::initializer_list<TensorIndex> tensors) const;

    const Run& run_;
    const TransformerConfig& config_;
    StepWriter& out_;
    std::int64_t tokens_;
    std::int64_t e_; // bytes of an element
};

} // namespace slackscope
