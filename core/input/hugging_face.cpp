#include "core/input/hugging_face.h"

#include "core/profile/json_text.h"

#include <algorithm>
#include <array>
#include <initializer_list>

namespace slackscope {

using nlohmann::json;

namespace {

using Spellings = std::initializer_list<const char*>;

// Reads keys of one config object under any of their spellings; gathers everything that is missing.
class ConfigReader {
public:
    ConfigReader(const json& object, std::string pointer, const std::string& file)
        : object_(object), pointer_(std::move(pointer)), file_(file) {}

    const json* find(Spellings spellings) const {
        for (const char* key : spellings) {
            const auto found = object_.find(key);
            if (found != object_.end() && !found->is_null())
                return &*found;
        }
        return nullptr;
    }
    bool has(Spellings spellings) const { return find(spellings) != nullptr; }

    std::optional<std::int64_t> whole(Spellings spellings) {
        for (const char* key : spellings) {
            const json* const value = find({key});
            if (value == nullptr)
                continue;
            std::string reason;
            const auto number = wholeNumber(*value, reason);
            if (!number)
                fail(key, std::move(reason));
            else if (*number < 0)
                fail(key, "is " + std::to_string(*number) + ", but must not be negative");
            return number.value_or(1);
        }
        return std::nullopt;
    }
    std::int64_t required(const char* what, Spellings spellings) {
        if (const auto number = whole(spellings))
            return *number;
        std::string names;
        for (const char* key : spellings)
            names += (names.empty() ? "" : " or ") + std::string(key);
        missing_ += (missing_.empty() ? "" : "; ") + std::string(what) + " (" + names + ")";
        return 1;
    }
    // True if the key is there and is above zero (a dropout rate) or true.
    std::optional<bool> flag(Spellings spellings) {
        const json* const value = find(spellings);
        if (value == nullptr)
            return std::nullopt;
        if (value->is_boolean())
            return value->get<bool>();
        if (value->is_number())
            return value->get<double>() > 0;
        fail(*spellings.begin(), "is " + jsonTypeName(*value) + ", but must be a number or true or false");
        return false;
    }
    std::string text(Spellings spellings) {
        const json* const value = find(spellings);
        return value != nullptr && value->is_string() ? value->get<std::string>() : std::string();
    }

    void fail(const std::string& key, std::string reason) {
        if (!error_)
            error_ = InputError{file_, pointer_ + "/" + pointerToken(key), std::move(reason)};
    }
    std::optional<InputError> error() const {
        if (error_ || missing_.empty())
            return error_;
        return InputError{file_, pointer_,
                          "is not enough of a Hugging Face config: missing " + missing_ + "; add these keys"};
    }

private:
    const json& object_;
    std::string pointer_;
    const std::string& file_;
    std::string missing_;
    std::optional<InputError> error_;
};

bool isAnyOf(const std::string& text, std::initializer_list<std::string_view> list) {
    return std::find(list.begin(), list.end(), text) != list.end();
}

// The model's own word for itself, for messages and names.
std::string modelName(const json& root) {
    for (const char* key : {"_name_or_path", "model_type", "_class_name"}) {
        const auto found = root.find(key);
        if (found != root.end() && found->is_string() && !found->get_ref<const std::string&>().empty() &&
            found->get_ref<const std::string&>().front() != '/')
            return found->get<std::string>();
    }
    return {};
}

// Why this is no transformer that a profile can be made of, or empty.
std::string unsupported(const json& root, const std::string& type) {
    const std::string name = quotedText(modelName(root));
    const auto has = [&](const char* key) { return root.contains(key) && !root.at(key).is_null(); };
    if (has("_diffusers_version") || has("num_single_layers") || has("cross_attention_dim"))
        return "describes the diffusion model " + name +
               ", which is no language model; give the config.json of a text model";
    if (has("ssm_cfg") || has("state_size") || has("ssm_state_size") || has("mamba_d_state") ||
        has("attn_layer_period") || isAnyOf(type, {"mamba", "mamba2", "rwkv", "jamba", "zamba", "bamba"}))
        return "describes the state-space or hybrid model " + name +
               "; only models whose every layer has attention can be profiled";
    if (has("linear_num_value_heads") || has("linear_attn_config") || has("linear_key_head_dim"))
        return "describes " + name +
               ", whose layers use linear attention; only models whose every layer has full attention can be "
               "profiled";
    if (has("num_mel_bins") || isAnyOf(type, {"whisper", "wav2vec2", "hubert", "seamless_m4t"}))
        return "describes the speech model " + name +
               ", whose input is no text; give the config.json of a text model";
    if (isAnyOf(type, {"clip", "siglip", "siglip2", "blip", "align", "flava"}))
        return "describes " + name +
               ", which compares images with text; give the config.json of a text model";
    if (has("image_size") && !has("vocab_size"))
        return "describes the vision model " + name +
               ", which has no vocabulary; give the config.json of a text "
               "model";
    return {};
}

// Which family a config without model_type belongs to, from keys that only that family writes.
std::string guessedType(const ConfigReader& in) {
    if (in.has({"relative_attention_num_buckets"}))
        return "t5";
    if (in.has({"type_vocab_size"}))
        return "bert";
    if (in.has({"n_embd"}))
        return in.has({"rotary_dim"}) ? "gptj" : "gpt2";
    if (in.has({"kv_lora_rank"}))
        return "deepseek_v3";
    if (in.has({"attn_config"}))
        return "mpt";
    if (in.has({"encoder_layers"}) && in.has({"decoder_layers"}))
        return "bart";
    if (in.has({"ffn_dim"}))
        return "opt";
    return "llama";
}

MlpKind mlpKind(const std::string& activation, bool gated) {
    if (gated)
        return activation.find("gelu") != std::string::npos ? MlpKind::GeGlu : MlpKind::SwiGlu;
    return activation.find("relu") != std::string::npos ? MlpKind::Relu : MlpKind::Gelu;
}

// Families that are built like Llama, but for what their keys say. A prefix counts: "qwen3_moe",
// "gemma3_text".
bool isLlamaLike(const std::string& type) {
    constexpr std::array families = {"llama",    "mistral",  "mixtral",  "ministral", "qwen2",    "qwen3",
                                     "gemma",    "phi3",     "phimoe",   "cohere",    "stablelm", "olmo",
                                     "granite",  "internlm", "baichuan", "yi",        "chatglm",  "glm",
                                     "deepseek", "exaone",   "smollm",   "gpt_oss",   "mimo",     "ernie4",
                                     "aquila",   "minicpm",  "hunyuan",  "dbrx"};
    return std::any_of(families.begin(), families.end(),
                       [&](const char* family) { return type.starts_with(family); });
}

// Norm, activation, biases and positions: what `transformers` builds for the family, where no key says so.
void applyFamily(TransformerConfig& config, const std::string& type, ConfigReader& in) {
    const bool bertLike = isAnyOf(type, {"bert", "roberta", "xlm-roberta", "electra", "camembert",
                                         "distilbert", "albert", "deberta", "deberta-v2", "ernie"});
    const bool gptLike =
        isAnyOf(type, {"gpt2", "gptj", "gpt_neo", "gpt_neox", "gpt_bigcode", "opt", "bloom", "falcon",
                       "RefinedWeb", "RefinedWebModel", "mpt", "phi", "starcoder2", "codegen", "openai-gpt"});
    const bool t5Like = isAnyOf(type, {"t5", "mt5", "umt5", "longt5"});
    const bool bart = isAnyOf(type, {"bart", "mbart", "pegasus", "marian", "m2m_100", "blenderbot", "led"});
    const bool twoStacks = in.flag({"is_encoder_decoder"}).value_or(false) ||
                           (in.has({"encoder_layers"}) && in.has({"decoder_layers"}));
    const bool bartLike = bart || (!t5Like && twoStacks);
    if (!bertLike && !gptLike && !t5Like && !bart && !isLlamaLike(type))
        config.notes.push_back("the model type " + quotedText(type) + " is not known; read as built like " +
                               (bartLike ? "BART" : "a Llama decoder"));
    std::string activation = in.text({"hidden_act", "hidden_activation", "activation_function", "activation",
                                      "feed_forward_proj", "dense_act_fn"});
    config.positions = PositionKind::Rotary;
    config.norm = NormKind::RmsNorm;
    bool gated = true;
    bool dropoutDefault = false;
    if (bertLike || gptLike || bartLike) {
        config.norm = NormKind::LayerNorm;
        config.normBias = true;
        config.qkvBias = config.attentionOutputBias = config.mlpBias = true;
        config.positions = PositionKind::Learned;
        config.tiedEmbeddings = true;
        gated = false;
    }
    if (bertLike) {
        config.architecture = Architecture::EncoderOnly;
        config.normPlacement = NormPlacement::Post;
        config.embeddingNorm = config.headTransform = config.headBias = true;
        dropoutDefault = true;
    } else if (bartLike) {
        config.architecture = Architecture::EncoderDecoder;
        config.normPlacement =
            isAnyOf(type, {"mbart", "pegasus", "m2m_100"}) ? NormPlacement::Pre : NormPlacement::Post;
        config.embeddingNorm = isAnyOf(type, {"bart", "mbart"});
        config.headBias = false;
        dropoutDefault = true;
    } else if (t5Like) {
        config.architecture = Architecture::EncoderDecoder;
        config.positions = PositionKind::None;
        config.tiedEmbeddings = true;
        config.relativeBuckets = in.whole({"relative_attention_num_buckets"}).value_or(32);
        gated = activation.starts_with("gated") || in.flag({"is_gated_act"}).value_or(false);
        if (activation.empty())
            activation = "relu";
        dropoutDefault = true;
    } else if (gptLike) {
        dropoutDefault = isAnyOf(type, {"gpt2", "gptj", "gpt_neo", "gpt_bigcode", "opt", "openai-gpt"});
        if (type == "gptj" || type == "codegen" || type == "phi") {
            config.parallelBlock = ParallelBlock::SharedNorm;
            config.tiedEmbeddings = false;
            config.headBias = true;
            config.positions = PositionKind::Rotary;
            config.qkvBias = config.attentionOutputBias = type == "phi";
        } else if (type == "gpt_neox") {
            config.parallelBlock = in.flag({"use_parallel_residual"}).value_or(true) ? ParallelBlock::TwoNorms
                                                                                     : ParallelBlock::None;
            config.tiedEmbeddings = false;
            config.positions = PositionKind::Rotary;
        } else if (type == "falcon" || type.starts_with("Refined")) {
            const bool two = in.flag({"new_decoder_architecture"}).value_or(false);
            config.parallelBlock = two                                         ? ParallelBlock::TwoNorms
                                   : in.flag({"parallel_attn"}).value_or(true) ? ParallelBlock::SharedNorm
                                                                               : ParallelBlock::None;
            config.positions = in.flag({"alibi"}).value_or(false) ? PositionKind::None : PositionKind::Rotary;
            config.qkvBias = config.attentionOutputBias = config.mlpBias = in.flag({"bias"}).value_or(false);
        } else if (type == "mpt") {
            const bool bias = !in.flag({"no_bias"}).value_or(true);
            config.normBias = config.qkvBias = config.attentionOutputBias = config.mlpBias = bias;
            const json* const attention = in.find({"attn_config"});
            if (attention == nullptr ||
                (attention->is_object() && attention->value("alibi", json(true)) == json(true)))
                config.positions = PositionKind::None;
        } else if (type == "bloom") {
            config.positions = PositionKind::None;
            config.embeddingNorm = true;
        } else if (type == "starcoder2") {
            config.positions = PositionKind::Rotary;
        } else if (type == "gpt_neo") {
            config.qkvBias = false;
        } else if (type == "openai-gpt") {
            config.normPlacement = NormPlacement::Post;
        }
        if (type == "opt" && activation.empty())
            activation = "relu";
    } else {
        config.qkvBias = isAnyOf(type, {"qwen2", "qwen2_moe", "qwen2_vl", "qwen2_vl_text", "qwen2_5_vl",
                                        "qwen2_5_vl_text", "chatglm"}) ||
                         in.flag({"attention_bias", "add_qkv_bias", "use_qkv_bias"}).value_or(false);
        config.attentionOutputBias = in.flag({"attention_bias"}).value_or(false);
        config.mlpBias = in.flag({"mlp_bias"}).value_or(false);
        config.qkNorm = type.starts_with("qwen3") || type.starts_with("gemma3") ||
                        in.flag({"use_qk_norm", "qk_layernorm"}).value_or(false);
        config.tiedEmbeddings = type.starts_with("gemma") || type.starts_with("cohere");
        if (isAnyOf(type, {"gemma2"}) || type.starts_with("gemma3"))
            config.normPlacement = NormPlacement::Sandwich;
        if (type.starts_with("gemma") && activation.empty())
            activation = "gelu";
        if (type.starts_with("cohere")) {
            config.norm = NormKind::LayerNorm;
            config.parallelBlock = ParallelBlock::SharedNorm;
        }
        if (type == "stablelm") {
            config.norm = NormKind::LayerNorm;
            config.normBias = true;
            config.qkvBias = in.flag({"use_qkv_bias"}).value_or(false);
        }
    }
    config.mlp = mlpKind(activation, gated);
    config.tiedEmbeddings = in.flag({"tie_word_embeddings"}).value_or(config.tiedEmbeddings);
    config.dropout = in.flag({"hidden_dropout_prob", "resid_pdrop", "dropout_rate", "hidden_dropout",
                              "resid_dropout", "residual_dropout", "dropout"})
                         .value_or(dropoutDefault);
    config.attentionDropout = in.flag({"attention_probs_dropout_prob", "attn_pdrop", "attention_dropout"})
                                  .value_or(dropoutDefault && !bartLike && type != "opt");
    if (t5Like) // one rate for everything
        config.attentionDropout = config.dropout;
}

std::int64_t readFfnWidth(const TransformerConfig& config, ConfigReader& in) {
    const auto width =
        in.whole({"intermediate_size", "n_inner", "ffn_dim", "d_ff", "ffn_hidden_size", "encoder_ffn_dim",
                  "decoder_ffn_dim", "hidden_dim", "moe_intermediate_size"});
    if (width)
        return *width;
    if (const auto ratio = in.whole({"expansion_ratio", "mlp_ratio"}))
        return *ratio * config.hidden;
    if (config.mlp == MlpKind::Gelu || config.mlp == MlpKind::Relu)
        return 4 * config.hidden; // the GPT families' own default
    return in.required("FFN width", {"intermediate_size", "n_inner", "ffn_dim", "d_ff", "ffn_hidden_size"});
}

void readShape(TransformerConfig& config, const std::string& type, ConfigReader& in) {
    config.hidden = in.required("hidden size", {"hidden_size", "n_embd", "d_model", "n_embed", "dim"});
    if (config.architecture == Architecture::EncoderDecoder) {
        config.encoderLayers = in.required(
            "encoder layers", {"encoder_layers", "num_layers", "num_hidden_layers", "num_encoder_layers"});
        config.layers = in.whole({"decoder_layers", "num_decoder_layers"}).value_or(config.encoderLayers);
    } else {
        config.layers = in.required("layers", {"num_hidden_layers", "n_layer", "n_layers", "num_layers"});
    }
    config.heads = in.required("attention heads", {"num_attention_heads", "n_head", "n_heads", "num_heads",
                                                   "encoder_attention_heads"});
    if (const auto decoderHeads = in.whole({"decoder_attention_heads"});
        decoderHeads && *decoderHeads != config.heads)
        in.fail("decoder_attention_heads", "is " + std::to_string(*decoderHeads) + ", but the encoder has " +
                                               std::to_string(config.heads) +
                                               " heads; stacks with different heads cannot be profiled");
    config.vocabulary = in.required("vocabulary", {"vocab_size", "padded_vocab_size", "n_vocab"});
    config.ffnWidth = readFfnWidth(config, in);
    const auto kvHeads =
        in.whole({"num_key_value_heads", "num_kv_heads", "n_head_kv", "multi_query_group_num"});
    const bool multiQuery = in.flag({"multi_query"}).value_or(false) || type == "gpt_bigcode";
    // Falcon's new architecture writes multi_query beside its own num_kv_heads, which then count.
    const bool grouped = in.flag({"new_decoder_architecture"}).value_or(type != "falcon") ||
                         in.flag({"multi_query_attention"}).value_or(false);
    if (multiQuery && !(kvHeads && grouped))
        config.kvHeads = 1;
    else
        config.kvHeads = kvHeads.value_or(config.heads);
    if (const auto headDim = in.whole({"head_dim", "d_kv", "kv_channels"}))
        config.headDim = *headDim;
    else if (config.heads > 0)
        config.headDim = config.hidden / config.heads;
    if (!in.has({"head_dim", "d_kv", "kv_channels", "kv_lora_rank"}) && config.heads > 0 &&
        config.hidden % config.heads != 0 && !in.error())
        in.fail("num_attention_heads", "or its like is " + std::to_string(config.heads) +
                                           ", which does not divide the hidden size " +
                                           std::to_string(config.hidden) + "; give head_dim");
}

void readPositions(TransformerConfig& config, const std::string& type, ConfigReader& in) {
    const auto most = in.whole({"max_position_embeddings", "n_positions", "max_seq_len", "n_ctx",
                                "max_sequence_length", "seq_length"});
    if (config.positions == PositionKind::Learned)
        config.learnedPositions =
            most ? *most + (type == "opt" ? 2 : 0) // OPT's table starts with two rows for padding
                 : in.required("positions",
                               {"max_position_embeddings", "n_positions", "max_seq_len", "n_ctx"});
    // Long contexts are not what most people train on; the sequence is the user's to raise.
    config.defaultSequence = std::min<std::int64_t>(most.value_or(2048), 2048);
    config.tokenTypes = in.whole({"type_vocab_size"}).value_or(0);
}

void readExperts(TransformerConfig& config, ConfigReader& in) {
    const auto experts =
        in.whole({"num_local_experts", "n_routed_experts", "num_experts", "moe_num_experts"});
    if (!experts || *experts == 0)
        return;
    MixtureOfExperts moe;
    moe.experts = *experts;
    moe.activePerToken = in.required(
        "experts per token", {"num_experts_per_tok", "num_experts_per_token", "moe_top_k", "moe_topk"});
    moe.expertWidth =
        in.whole({"moe_intermediate_size", "expert_intermediate_size"}).value_or(config.ffnWidth);
    moe.sharedExperts = in.whole({"n_shared_experts", "num_shared_experts"}).value_or(0);
    if (const auto width = in.whole({"shared_expert_intermediate_size"});
        width && *width > 0 && moe.expertWidth > 0) {
        if (*width % moe.expertWidth != 0)
            in.fail("shared_expert_intermediate_size",
                    "is " + std::to_string(*width) + ", no multiple of the expert width " +
                        std::to_string(moe.expertWidth) + "; such a shared expert cannot be profiled");
        moe.sharedExperts = *width / moe.expertWidth;
    }
    moe.denseLayersFirst = in.whole({"first_k_dense_replace"}).value_or(0);
    const std::int64_t every =
        in.whole({"moe_layer_freq", "decoder_sparse_step", "interleave_moe_layer_step"}).value_or(1);
    if (every != 1)
        config.notes.push_back("experts in every layer, where the config has them in every " +
                               std::to_string(every) + "th");
    config.moe = moe;
}

void readLatentAttention(TransformerConfig& config, ConfigReader& in) {
    if (!in.has({"kv_lora_rank"}))
        return;
    LatentAttention latent;
    latent.keyValueRank = in.required("key/value rank", {"kv_lora_rank"});
    latent.queryRank = in.whole({"q_lora_rank"}).value_or(0);
    latent.plainHeadDim = in.required("head size without position", {"qk_nope_head_dim"});
    latent.rotaryHeadDim = in.required("rotary head size", {"qk_rope_head_dim"});
    latent.valueHeadDim = in.required("value head size", {"v_head_dim"});
    config.latentAttention = latent;
    config.kvHeads = config.heads;
}

void noteWhatIsLeftOut(TransformerConfig& config, const json& root, ConfigReader& in) {
    std::vector<std::string> parts;
    for (const auto& [key, value] : root.items()) {
        if (value.is_object() && key.ends_with("_config") &&
            (key.starts_with("vision") || key.starts_with("audio") || key.starts_with("visual") ||
             key.starts_with("speech")))
            parts.push_back(key.substr(0, key.find('_')) + " tower");
    }
    for (const std::string& part : parts)
        config.notes.push_back("text part only, the " + part + " is not modelled");
    if (in.whole({"num_nextn_predict_layers"}).value_or(0) > 0)
        config.notes.emplace_back("multi-token prediction layers are not modelled");
    const auto window = in.whole({"sliding_window", "window_size"});
    if (window && *window > 0 && in.flag({"use_sliding_window"}).value_or(true))
        config.notes.push_back("the sliding window of " + std::to_string(*window) +
                               " tokens is modelled as full attention");
    if (in.whole({"word_embed_proj_dim", "embedding_size"}).value_or(config.hidden) != config.hidden)
        config.notes.emplace_back("the projection behind the word embedding is not modelled");
    if (in.has({"num_hidden_groups"}))
        config.notes.emplace_back("layers that share parameters are counted apiece");
}

} // namespace

tl::expected<TransformerConfig, InputError> readHuggingFaceConfig(std::string_view text,
                                                                  const std::string& file) {
    const auto root = parseJson(text, file);
    if (!root)
        return tl::unexpected(root.error());
    if (!root->is_object())
        return tl::unexpected(
            InputError{file, "", "is " + jsonTypeName(*root) + ", but a Hugging Face config is an object"});

    const json* object = &*root;
    std::string pointer;
    for (const char* key : {"text_config", "llm_config", "language_config"}) {
        if (const auto found = root->find(key); found != root->end() && found->is_object()) {
            object = &*found;
            pointer = std::string("/") + key;
            break;
        }
    }
    ConfigReader in(*object, pointer, file);
    const std::string given = in.text({"model_type"});
    const std::string outer = ConfigReader(*root, "", file).text({"model_type"});
    for (const json* each : {&*root, object}) {
        if (std::string reason = unsupported(*each, each == object ? given : outer); !reason.empty())
            return tl::unexpected(InputError{file, each == object ? pointer : "", std::move(reason)});
    }
    const std::string type = given.empty() ? guessedType(in) : given;

    TransformerConfig config;
    config.name = modelName(*root);
    if (config.name.empty())
        config.name = type + " model";
    applyFamily(config, type, in);
    readShape(config, type, in);
    readPositions(config, type, in);
    readExperts(config, in);
    readLatentAttention(config, in);
    noteWhatIsLeftOut(config, *root, in);
    if (given.empty())
        config.notes.push_back("the config has no model_type; read as " + type);
    if (auto error = in.error())
        return tl::unexpected(std::move(*error));
    return config;
}

} // namespace slackscope
