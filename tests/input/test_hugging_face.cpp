// Hugging Face configs: key spellings, family defaults, what is left out, and refusals that list everything.
#include "core/input/hugging_face.h"

#include "core/profile/profile_json.h"

#include <QtTest>

#include <random>

using namespace slackscope;

namespace {

const std::string llamaText =
    R"({"model_type": "llama", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4,
        "intermediate_size": 172, "vocab_size": 100, "max_position_embeddings": 128})";

TransformerConfig read(const std::string& text) {
    auto config = readHuggingFaceConfig(text, "config.json");
    if (!config)
        qFatal("%s", config.error().sentence().c_str());
    return *config;
}

QString folder() {
    const QString given = qEnvironmentVariable("SLACKSCOPE_SHARED_DATA", SLACKSCOPE_SHARED_DATA_FOLDER);
    return given.isEmpty() ? given : given + "/huggingface";
}

} // namespace

class TestHuggingFace : public QObject {
    Q_OBJECT
private slots:
    void spellings_data() {
        QTest::addColumn<QString>("text");
        QTest::newRow("Llama") << QString::fromStdString(llamaText);
        QTest::newRow("GPT-2")
            << R"({"n_embd": 64, "n_layer": 2, "n_head": 4, "n_inner": 172, "vocab_size": 100,
                                      "n_positions": 128})";
        QTest::newRow("MPT") << R"({"model_type": "mpt", "d_model": 64, "n_layers": 2, "n_heads": 4,
                                    "ffn_hidden_size": 172, "vocab_size": 100, "max_seq_len": 128})";
        QTest::newRow("OPT") << R"({"model_type": "opt", "hidden_size": 64, "num_hidden_layers": 2,
                                    "num_attention_heads": 4, "ffn_dim": 172, "vocab_size": 100,
                                    "max_position_embeddings": 128})";
        QTest::newRow("T5") << R"({"d_model": 64, "num_layers": 2, "num_heads": 4, "d_ff": 172, "d_kv": 16,
                                   "vocab_size": 100, "n_positions": 128, "relative_attention_num_buckets": 32})";
        QTest::newRow("ChatGLM") << R"({"model_type": "chatglm", "hidden_size": 64, "num_layers": 2,
                                        "num_attention_heads": 4, "ffn_hidden_size": 172,
                                        "padded_vocab_size": 100, "seq_length": 128, "kv_channels": 16})";
        QTest::newRow("whole numbers as floats")
            << R"({"model_type": "llama", "hidden_size": 64.0, "num_hidden_layers": 2e0,
                   "num_attention_heads": 4, "intermediate_size": 172, "vocab_size": 1e2,
                   "max_position_embeddings": 128})";
    }
    void spellings() {
        QFETCH(QString, text);
        const TransformerConfig config = read(text.toStdString());
        QCOMPARE(config.hidden, std::int64_t{64});
        QCOMPARE(config.layers, std::int64_t{2});
        QCOMPARE(config.heads, std::int64_t{4});
        QCOMPARE(config.kvHeads, std::int64_t{4});
        QCOMPARE(config.headDim, std::int64_t{16});
        QCOMPARE(config.ffnWidth, std::int64_t{172});
        QCOMPARE(config.vocabulary, std::int64_t{100});
        QCOMPARE(config.defaultSequence, std::int64_t{128});
        QVERIFY(analyticProfile(config));
    }

    void nullIsAbsent() {
        const TransformerConfig config =
            read(R"({"model_type": "gptj", "n_embd": 64, "n_layer": 2, "n_head": 4,
            "n_inner": null, "n_positions": 128, "vocab_size": 100, "num_key_value_heads": null})");
        QCOMPARE(config.ffnWidth, std::int64_t{256});
        QCOMPARE(config.kvHeads, std::int64_t{4});
        QVERIFY(config.parallelBlock == ParallelBlock::SharedNorm);
        QVERIFY(config.positions == PositionKind::Rotary);
        QVERIFY(!config.tiedEmbeddings && !config.qkvBias && config.mlpBias);
    }
    void headDimWins() {
        std::string text = llamaText;
        text.insert(1, R"("head_dim": 32, "num_key_value_heads": 2, )");
        const TransformerConfig config = read(text);
        QCOMPARE(config.headDim, std::int64_t{32});
        QCOMPARE(config.kvHeads, std::int64_t{2});
    }
    void multiQueryIsOneHead() {
        const std::string falcon = R"("model_type": "falcon", "hidden_size": 64, "num_hidden_layers": 2,
            "num_attention_heads": 4, "vocab_size": 100, "multi_query": true, "num_kv_heads": 2)";
        QCOMPARE(read("{" + falcon + "}").kvHeads, std::int64_t{1});
        const TransformerConfig grouped = read("{" + falcon + R"(, "new_decoder_architecture": true})");
        QCOMPARE(grouped.kvHeads, std::int64_t{2});
        QVERIFY(grouped.parallelBlock == ParallelBlock::TwoNorms);
    }
    void families() {
        const TransformerConfig bert =
            read(R"({"model_type": "bert", "hidden_size": 64, "num_hidden_layers": 2,
            "num_attention_heads": 4, "vocab_size": 100, "max_position_embeddings": 128, "type_vocab_size": 2})");
        QVERIFY(bert.architecture == Architecture::EncoderOnly);
        QVERIFY(bert.normPlacement == NormPlacement::Post && bert.headTransform && bert.dropout);
        QCOMPARE(bert.tokenTypes, std::int64_t{2});
        const TransformerConfig bart = read(R"({"model_type": "bart", "d_model": 64, "encoder_layers": 3,
            "decoder_layers": 2, "encoder_attention_heads": 4, "decoder_attention_heads": 4, "encoder_ffn_dim": 128,
            "vocab_size": 100, "max_position_embeddings": 128})");
        QVERIFY(bart.architecture == Architecture::EncoderDecoder);
        QCOMPARE(bart.encoderLayers, std::int64_t{3});
        QCOMPARE(bart.layers, std::int64_t{2});
        const TransformerConfig gemma =
            read(R"({"model_type": "gemma2", "hidden_size": 64, "num_hidden_layers": 2,
            "num_attention_heads": 4, "intermediate_size": 96, "vocab_size": 100, "sliding_window": 32})");
        QVERIFY(gemma.normPlacement == NormPlacement::Sandwich && gemma.mlp == MlpKind::GeGlu);
        QVERIFY(gemma.tiedEmbeddings && gemma.notes.size() == 1);
        const TransformerConfig qwen =
            read(R"({"model_type": "qwen3", "hidden_size": 64, "num_hidden_layers": 2,
            "num_attention_heads": 4, "intermediate_size": 96, "vocab_size": 100})");
        QVERIFY(qwen.qkNorm && !qwen.qkvBias);
        const TransformerConfig flan =
            read(R"({"model_type": "t5", "d_model": 64, "num_layers": 2, "num_heads": 4,
            "d_ff": 128, "d_kv": 16, "vocab_size": 100, "feed_forward_proj": "gated-gelu",
            "tie_word_embeddings": false})");
        QVERIFY(flan.mlp == MlpKind::GeGlu && !flan.tiedEmbeddings && flan.relativeBuckets == 32);
    }
    void expertsAndLatentAttention() {
        std::string text = llamaText;
        text.insert(1, R"("num_local_experts": 8, "num_experts_per_tok": 2, )");
        QVERIFY((read(text).moe == MixtureOfExperts{8, 2, 0, 172, 0}));
        text.insert(1, R"("moe_intermediate_size": 32, "n_shared_experts": 1, "first_k_dense_replace": 1,
            "kv_lora_rank": 16, "q_lora_rank": null, "qk_nope_head_dim": 12, "qk_rope_head_dim": 4,
            "v_head_dim": 8, )");
        const TransformerConfig config = read(text);
        QVERIFY((config.moe == MixtureOfExperts{8, 2, 1, 32, 1}));
        QVERIFY((config.latentAttention == LatentAttention{0, 16, 12, 4, 8}));
        QVERIFY(analyticProfile(config));
    }
    void partsThatAreLeftOutAreNamed() {
        std::string nested = R"({"model_type": "some_vl", "text_config": )" + llamaText +
                             R"(, "vision_config": {"depth": 2}, "audio_config": {"depth": 2}})";
        const TransformerConfig config = read(nested);
        QCOMPARE(config.hidden, std::int64_t{64});
        const auto profile = analyticProfile(config);
        QVERIFY(profile);
        const QString source = QString::fromStdString(profile->source);
        QVERIFY2(source.contains("vision tower is not modelled"), qPrintable(source));
        QVERIFY2(source.contains("audio tower is not modelled"), qPrintable(source));
    }

    void unknownTypesAreReadAsLlamaAndSaidSo() {
        std::string text = llamaText;
        text.replace(text.find("llama"), 5, "novel_lm");
        const TransformerConfig config = read(text);
        QCOMPARE(config.notes.size(), std::size_t{1});
        QVERIFY(
            QString::fromStdString(analyticProfile(config)->source).contains("\"novel_lm\" is not known"));
        QVERIFY(read(llamaText).notes.empty());
        const TransformerConfig both =
            read(R"({"model_type": "novel", "is_encoder_decoder": true, "d_model": 64,
            "encoder_layers": 2, "decoder_layers": 2, "encoder_attention_heads": 4, "encoder_ffn_dim": 128,
            "vocab_size": 100, "max_position_embeddings": 64})");
        QVERIFY(both.architecture == Architecture::EncoderDecoder);
        QCOMPARE(QString::fromStdString(both.notes.at(0)),
                 QString("the model type \"novel\" is not known; read as built like BART"));
    }

    void refusals_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QStringList>("says");
        QTest::newRow("nothing") << "{}"
                                 << QStringList{"missing hidden size (hidden_size or n_embd or d_model",
                                                "layers (num_hidden_layers or n_layer", "attention heads (",
                                                "vocabulary (vocab_size", "FFN width (intermediate_size"};
        QTest::newRow("nested, incomplete")
            << R"({"text_config": {"model_type": "llama", "hidden_size": 64}})"
            << QStringList{"/text_config", "layers (", "vocabulary ("};
        QTest::newRow("hidden as text") << R"({"model_type": "llama", "hidden_size": "64"})"
                                        << QStringList{"/hidden_size", "without quotes"};
        QTest::newRow("fractional layers") << R"({"model_type": "llama", "num_hidden_layers": 1.5})"
                                           << QStringList{"/num_hidden_layers", "1.5"};
        QTest::newRow("negative heads") << R"({"model_type": "llama", "num_attention_heads": -4})"
                                        << QStringList{"/num_attention_heads", "negative"};
        QTest::newRow("heads do not divide")
            << R"({"model_type": "llama", "hidden_size": 65, "num_hidden_layers": 2, "num_attention_heads": 4,
                   "intermediate_size": 96, "vocab_size": 100})"
            << QStringList{"does not divide", "head_dim"};
        QTest::newRow("diffusion")
            << R"({"_class_name": "FluxModel", "_diffusers_version": "0.30", "num_layers": 19})"
            << QStringList{"diffusion model \"FluxModel\""};
        QTest::newRow("vision") << R"({"model_type": "vit", "hidden_size": 64, "image_size": 224})"
                                << QStringList{"vision model \"vit\""};
        QTest::newRow("speech") << R"({"model_type": "whisper", "d_model": 64, "num_mel_bins": 80})"
                                << QStringList{"speech model \"whisper\""};
        QTest::newRow("image and text") << R"({"model_type": "clip", "text_config": {"hidden_size": 64}})"
                                        << QStringList{"\"clip\"", "images"};
        QTest::newRow("state space") << R"({"model_type": "mamba", "hidden_size": 64, "state_size": 16})"
                                     << QStringList{"state-space"};
        QTest::newRow("hybrid") << R"({"model_type": "jamba", "attn_layer_period": 8})"
                                << QStringList{"hybrid"};
        QTest::newRow("linear attention") << R"({"model_type": "qwen3_next", "linear_num_value_heads": 32})"
                                          << QStringList{"linear attention"};
        QTest::newRow("experts without a choice")
            << R"({"model_type": "mixtral", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4,
                   "intermediate_size": 96, "vocab_size": 100, "num_local_experts": 8})"
            << QStringList{"experts per token (num_experts_per_tok"};
        QTest::newRow("array") << "[1, 2]" << QStringList{"is an array"};
        QTest::newRow("cut off") << R"({"hidden_size": 64)" << QStringList{"cut off"};
        QTest::newRow("repeated key")
            << R"({"hidden_size": 64, "hidden_size": 65})" << QStringList{"/hidden_size", "twice"};
    }
    void refusals() {
        QFETCH(QString, text);
        QFETCH(QStringList, says);
        const auto config = readHuggingFaceConfig(text.toStdString(), "config.json");
        QVERIFY(!config);
        const QString sentence = QString::fromStdString(config.error().sentence());
        QVERIFY2(sentence.startsWith("config.json: ") && !sentence.contains('\n'), qPrintable(sentence));
        for (const QString& part : says)
            QVERIFY2(sentence.contains(part), qPrintable(sentence));
    }

    void mutatedConfigsGiveAProfileOrOneSentence() {
        const std::string original =
            R"({"model_type": "deepseek_v3", "hidden_size": 64, "num_hidden_layers": 3,
            "num_attention_heads": 4, "intermediate_size": 96, "vocab_size": 100, "n_routed_experts": 8,
            "num_experts_per_tok": 2, "moe_intermediate_size": 16, "kv_lora_rank": 16, "q_lora_rank": 24,
            "qk_nope_head_dim": 12, "qk_rope_head_dim": 4, "v_head_dim": 8, "first_k_dense_replace": 1,
            "max_position_embeddings": 64})";
        std::mt19937 random(7); // NOLINT: the same mutations every time
        int accepted = 0;
        for (int round = 0; round < 3000; ++round) {
            std::string text = original;
            const std::size_t at = random() % text.size();
            if (round % 3 == 0)
                text[at] = "0123456789-.\"{}[]nt"[random() % 19];
            else if (round % 3 == 1)
                text.insert(at, 1, "0123456789-.e"[random() % 13]);
            else
                text.erase(at, 1 + random() % 30);
            const auto config = readHuggingFaceConfig(text, "f");
            const auto profile = config ? analyticProfile(*config) : tl::unexpected(config.error());
            if (profile) {
                ++accepted;
                QVERIFY(!validate(*profile));
            } else {
                const std::string sentence = profile.error().sentence();
                QVERIFY2(!profile.error().reason.empty() && sentence.find('\n') == std::string::npos,
                         sentence.c_str());
            }
        }
        QVERIFY2(accepted > 100 && accepted < 2900, "the mutations are too mild or too strong");
    }

    void otherPeoplesConfigs_data() {
        QTest::addColumn<QString>("path");
        for (const QFileInfo& file : QDir(folder()).entryInfoList({"*.json"}, QDir::Files))
            QTest::newRow(qPrintable(file.fileName())) << file.filePath();
        if (folder().isEmpty() || !QDir(folder()).exists())
            QTest::newRow("absent") << QString();
    }
    void otherPeoplesConfigs() {
        QFETCH(QString, path);
        if (path.isEmpty())
            QSKIP("set SLACKSCOPE_SHARED_DATA to a folder with huggingface/*.json");
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const auto config = readHuggingFaceConfig(file.readAll().toStdString(), path.toStdString());
        if (path.contains("not-a-language-model")) {
            QVERIFY(!config);
            QVERIFY(QString::fromStdString(config.error().sentence()).contains("diffusion"));
            return;
        }
        QVERIFY2(config, config ? "" : config.error().sentence().c_str());
        const auto profile = analyticProfile(*config);
        QVERIFY2(profile, profile ? "" : profile.error().sentence().c_str());
        QVERIFY(*readProfile(writeProfile(*profile), "f") == *profile);
        qInfo("%s: %lld parameters; %s", profile->name.c_str(),
              static_cast<long long>(parameterCount(*config)), profile->source.c_str());
    }
};

QTEST_APPLESS_MAIN(TestHuggingFace)
#include "test_hugging_face.moc"
