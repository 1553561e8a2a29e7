// Analytic profiles against published totals: bytes and FLOPs per layer, parameters, and what must be
// refused.
#include "core/input/hardware.h"
#include "core/input/presets.h"
#include "core/profile/step_graph.h"

#include <QtTest>

#include <cmath>
#include <set>

using namespace slackscope;

namespace {

constexpr std::int64_t s = 256, b = 3, h = 512, a = 8, f = 1408;

TransformerConfig gpt() {
    TransformerConfig config;
    config.name = "test";
    config.layers = 4;
    config.hidden = h;
    config.heads = config.kvHeads = a;
    config.headDim = h / a;
    config.ffnWidth = 4 * h;
    config.vocabulary = 1000;
    config.positions = PositionKind::Learned;
    config.learnedPositions = s;
    config.dropout = config.attentionDropout = true;
    config.defaultBatch = b;
    config.defaultSequence = s;
    return config;
}

TransformerConfig bert() {
    TransformerConfig config = gpt();
    config.architecture = Architecture::EncoderOnly;
    config.normPlacement = NormPlacement::Post;
    config.embeddingNorm = config.headTransform = true;
    return config;
}

TransformerConfig withoutDropout(TransformerConfig config) {
    config.dropout = config.attentionDropout = false;
    return config;
}

TransformerConfig llama(std::int64_t kvHeads) {
    TransformerConfig config = withoutDropout(gpt());
    config.norm = NormKind::RmsNorm;
    config.mlp = MlpKind::SwiGlu;
    config.positions = PositionKind::Rotary;
    config.kvHeads = kvHeads;
    config.ffnWidth = f;
    return config;
}

TransformerConfig parallel(ParallelBlock block) {
    TransformerConfig config = withoutDropout(gpt());
    config.parallelBlock = block;
    return config;
}

TransformerConfig mixture() {
    TransformerConfig config = llama(a);
    config.moe = MixtureOfExperts{4, 2, 0, f, 0};
    return config;
}

std::shared_ptr<const StepGraph> graphOf(const TransformerConfig& config,
                                         const AnalyticOptions& options = {}) {
    auto profile = analyticProfile(config, options);
    if (!profile)
        qFatal("%s", profile.error().sentence().c_str());
    return StepGraph::build(std::move(*profile)).value();
}

// Bytes that a layer in the middle adds to what is saved. Its own output stands for its input.
Bytes savedByLayer(const StepGraph& graph, int layer) {
    Bytes bytes = 0;
    for (const TensorIndex t : graph.savedTensors()) {
        if (graph.producer(t) != none && graph.op(graph.producer(t)).layer == layer)
            bytes += graph.tensor(t).bytes;
    }
    return bytes;
}

AnalyticOptions choose(Attention attention, Precision precision = Precision::Bf16) {
    AnalyticOptions options;
    options.attention = attention;
    options.precision = precision;
    return options;
}

// Matrix units so slow, and no launch, that the time of a matrix product is its FLOPs.
AnalyticOptions flopsOnly(Attention attention) {
    AnalyticOptions options = choose(attention);
    options.matmulEfficiency = 1e-5;
    options.launchNs = 0;
    return options;
}
constexpr double slowFlopsPerNs = 312e12 * 1e-5 * 1e-9;

double matrixFlops(const StepGraph& graph, int layer, bool backward) {
    double ns = 0;
    for (OperatorIndex i = 0; i < graph.operatorCount(); ++i) {
        const Operator& op = graph.op(i);
        if (op.layer == layer && (op.kind == "linear" || op.kind == "attention" || op.kind == "router"))
            ns += static_cast<double>(backward ? op.backwardNs : op.forwardNs);
    }
    return ns * slowFlopsPerNs;
}

bool near(double actual, double expected, double relative) {
    return std::abs(actual - expected) <= relative * expected;
}

} // namespace

Q_DECLARE_METATYPE(TransformerConfig)
Q_DECLARE_METATYPE(AnalyticOptions)

class TestTransformer : public QObject {
    Q_OBJECT
private slots:
    void savedBytesPerLayer_data() {
        QTest::addColumn<TransformerConfig>("config");
        QTest::addColumn<AnalyticOptions>("options");
        QTest::addColumn<qint64>("expected");
        constexpr std::int64_t sbh = s * b * h;
        constexpr std::int64_t lse = 4 * a * b * s;
        const AnalyticOptions eager = choose(Attention::Eager);
        const AnalyticOptions flash = choose(Attention::Flash);
        // arXiv 2205.05198, equation 1: sbh(34 + 5as/h).
        const auto row = [](const char* name, const TransformerConfig& config, const AnalyticOptions& options,
                            std::int64_t expected) {
            QTest::newRow(name) << config << options << qint64{expected};
        };
        row("GPT, eager", gpt(), eager, 34 * sbh + 5 * a * s * s * b);
        row("BERT, eager", bert(), eager, 34 * sbh + 5 * a * s * s * b);
        row("GPT, eager, no dropout", withoutDropout(gpt()), eager, 32 * sbh + 2 * a * s * s * b);
        row("GPT, flash", gpt(), flash, 34 * sbh + lse);
        row("BERT, flash", bert(), flash, 34 * sbh + lse);
        row("GPT, flash, no dropout", withoutDropout(gpt()), flash, 32 * sbh + lse);
        // s b (12h + 4gh + 6f + 4a), g = kv heads / heads.
        row("Llama, flash", llama(a), flash, s * b * (16 * h + 6 * f + 4 * a));
        row("Llama, grouped", llama(a / 4), flash, s * b * (12 * h + h + 6 * f + 4 * a));
        row("Llama, one kv head", llama(1), flash, s * b * (12 * h + 4 * h / a + 6 * f + 4 * a));
        // One norm, or one input of the second norm, and one residual less than in sequence.
        row("parallel, shared norm", parallel(ParallelBlock::SharedNorm), flash, 28 * sbh + lse);
        row("parallel, two norms", parallel(ParallelBlock::TwoNorms), flash, 30 * sbh + lse);
        TransformerConfig relu = withoutDropout(gpt());
        relu.mlp = MlpKind::Relu; // saves its result, which fc2 saves anyway
        row("ReLU", relu, flash, 24 * sbh + lse);
        TransformerConfig qkNorm = llama(a);
        qkNorm.qkNorm = true; // saves Q and K once more
        row("QK norm", qkNorm, flash, s * b * (20 * h + 6 * f + 4 * a));
        TransformerConfig sandwich = llama(a);
        sandwich.normPlacement = NormPlacement::Sandwich; // two more norm inputs
        row("sandwich norms", sandwich, flash, s * b * (20 * h + 6 * f + 4 * a));
        // fp32: everything doubles but the masks (2sbh) and the log-sum-exp.
        row("GPT, flash, fp32", gpt(), choose(Attention::Flash, Precision::Fp32), 66 * sbh + lse);
        // Two experts a token: twice the FFN, its input and its output once per choice, routing (4 experts x
        // 4 bytes, 2 choices x 8 bytes) beside.
        row("experts", mixture(), flash, s * b * (16 * h + 4 * a + 2 * (6 * f + 4 * h) + 32));
    }
    void savedBytesPerLayer() {
        QFETCH(TransformerConfig, config);
        QFETCH(AnalyticOptions, options);
        QFETCH(qint64, expected);
        const auto graph = graphOf(config, options);
        QCOMPARE(qint64{savedByLayer(*graph, 1)}, expected);
        QCOMPARE(qint64{savedByLayer(*graph, 2)}, expected);
    }

    void flopsPerTokenPerLayer_data() {
        QTest::addColumn<TransformerConfig>("config");
        QTest::addColumn<AnalyticOptions>("options");
        QTest::addColumn<double>("linear");
        QTest::addColumn<double>("attention");
        constexpr double dense = 24.0 * h * h;
        constexpr double sh = 1.0 * s * h;
        const auto row = [](const char* name, const TransformerConfig& config, Attention attention,
                            double linear, double squared) {
            QTest::newRow(name) << config << flopsOnly(attention) << linear << squared;
        };
        row("GPT, causal flash", gpt(), Attention::Flash, dense, 2 * sh);
        row("GPT, eager", gpt(), Attention::Eager, dense, 4 * sh);
        row("BERT, flash", bert(), Attention::Flash, dense, 4 * sh);
        row("Llama", llama(a), Attention::Flash, 8.0 * h * h + 6.0 * h * f, 2 * sh);
        row("Llama, grouped", llama(a / 4), Attention::Flash, 4.0 * h * h * 1.25 + 6.0 * h * f, 2 * sh);
        row("experts", mixture(), Attention::Flash, 8.0 * h * h + 2 * 6.0 * h * f + 2.0 * h * 4, 2 * sh);
    }
    void flopsPerTokenPerLayer() {
        QFETCH(TransformerConfig, config);
        QFETCH(AnalyticOptions, options);
        QFETCH(double, linear);
        QFETCH(double, attention);
        const auto graph = graphOf(config, options);
        const double backwardOfAttention = options.attention == Attention::Flash ? 2.5 : 2.0;
        QVERIFY(near(matrixFlops(*graph, 1, false), s * b * (linear + attention), 1e-3));
        QVERIFY(
            near(matrixFlops(*graph, 1, true), s * b * (2 * linear + backwardOfAttention * attention), 1e-3));
    }

    void parametersMatchThePublishedCounts_data() {
        QTest::addColumn<QString>("id");
        for (const ModelPreset& preset : modelPresets())
            QTest::newRow(preset.id.c_str()) << QString::fromStdString(preset.id);
    }
    void parametersMatchThePublishedCounts() {
        QFETCH(QString, id);
        const auto preset = findModelPreset(id.toStdString());
        QVERIFY(preset);
        // DeepSeek-V3 counts a bias that balances the experts, 256 in each of 58 layers; it has no gradient.
        const std::int64_t notTrained = id == "deepseek-v3" ? 58 * 256 : 0;
        QCOMPARE(qint64{parameterCount(preset->config) + notTrained}, qint64{preset->publishedParameters});
    }

    void everyPresetGivesAValidProfile_data() { parametersMatchThePublishedCounts_data(); }
    void everyPresetGivesAValidProfile() {
        QFETCH(QString, id);
        const auto preset = findModelPreset(id.toStdString());
        for (const Attention attention : {Attention::Flash, Attention::Eager}) {
            for (const Loss loss : {Loss::Chunked, Loss::Full}) {
                for (const Precision precision : {Precision::Bf16, Precision::Fp32}) {
                    AnalyticOptions options = choose(attention, precision);
                    options.loss = loss;
                    const auto graph = graphOf(preset->config, options);
                    QVERIFY(graph->idealNs() > 0);
                    QCOMPARE(qint64{graph->profile().device->modelStateBytes},
                             qint64{16 * parameterCount(preset->config)});
                    checkStructure(*graph, preset->config);
                }
            }
        }
    }

    void attentionOutputIsOneTensorSavedTwice() {
        const auto graph = graphOf(gpt());
        for (TensorIndex t = 0; t < graph->tensorCount(); ++t) {
            if (graph->tensor(t).id == "layer1.attention.out")
                QCOMPARE(graph->savers(t).size(), std::size_t{2});
        }
    }

    void fullLossMaterialisesLogitsAndChunkedNever() {
        const TransformerConfig config = gpt();
        const Bytes logits = s * b * config.vocabulary * 2;
        AnalyticOptions options;
        options.loss = Loss::Full;
        Bytes saved = 0;
        const auto full = graphOf(config, options);
        std::set<Bytes> sizes;
        for (TensorIndex t = 0; t < full->tensorCount(); ++t) {
            if (full->producer(t) != none && !full->op(full->producer(t)).layer) {
                sizes.insert(full->tensor(t).bytes);
                if (full->isSaved(t))
                    saved = std::max(saved, full->tensor(t).bytes);
            }
        }
        QVERIFY(sizes.count(logits) == 1 && sizes.count(2 * logits) == 1);
        QCOMPARE(qint64{saved}, qint64{2 * logits}); // the log-softmax, in fp32
        const auto chunked = graphOf(config);
        Bytes workspace = 0;
        for (OperatorIndex i = 0; i < chunked->operatorCount(); ++i)
            workspace = std::max(workspace, chunked->op(i).forwardWorkspaceBytes);
        QVERIFY(workspace > 0 && workspace < logits);
        for (TensorIndex t = 0; t < chunked->tensorCount(); ++t)
            QVERIFY(chunked->tensor(t).bytes < logits || chunked->op(chunked->producer(t)).layer);
    }

    void chunkedLossDoesThreeMatrixProductsForward() {
        AnalyticOptions options = flopsOnly(Attention::Flash);
        const TransformerConfig config = gpt();
        const auto graph = graphOf(config, options);
        const Operator& loss = graph->op(graph->operatorCount() - 1);
        QCOMPARE(QString::fromStdString(loss.id), QString("loss"));
        const double products = 3 * 2.0 * s * b * h * static_cast<double>(config.vocabulary);
        QVERIFY(near(static_cast<double>(loss.forwardNs) * slowFlopsPerNs, products, 1e-3));
        QVERIFY(loss.backwardNs * 100 < loss.forwardNs);
    }

    void fp32UsesTf32WhereThereIsOne() {
        AnalyticOptions half = flopsOnly(Attention::Flash);
        AnalyticOptions single = half;
        single.precision = Precision::Fp32;
        const auto a100 = [](const AnalyticOptions& options) {
            return matrixFlops(*graphOf(llama(a), options), 1, false);
        };
        QVERIFY(near(a100(single), 2 * a100(half), 1e-3)); // 156 against 312 TFLOP/s
        single.device = "v100-32gb-sxm";                   // 15.7, no TF32
        QVERIFY(near(a100(single), 312 / 15.7 * a100(half), 1e-3));
        QVERIFY(QString::fromStdString(graphOf(llama(a), single)->profile().source).contains("no TF32"));
    }

    void elementwiseTimeIsBytesOverBandwidthPlusLaunch() {
        AnalyticOptions options;
        options.memoryEfficiency = 0.5;
        options.launchNs = 7'000;
        const auto graph = graphOf(gpt(), options);
        const double bytes = 2.0 * s * b * h * 2; // reads and writes 2-byte elements
        for (OperatorIndex i = 0; i < graph->operatorCount(); ++i) {
            if (graph->op(i).id == "layer0.ln1") {
                QCOMPARE(qint64{graph->op(i).forwardNs},
                         qint64{std::llround(bytes / (2039e9 * 0.5) * 1e9 + 7000)});
                QCOMPARE(qint64{graph->op(i).backwardNs},
                         qint64{std::llround(1.5 * bytes / (2039e9 * 0.5) * 1e9 + 7000)});
            }
        }
    }

    void encoderOutputFeedsEveryDecoderLayer() {
        TransformerConfig config = withoutDropout(gpt());
        config.architecture = Architecture::EncoderDecoder;
        config.encoderLayers = 2;
        const auto graph = graphOf(config);
        QCOMPARE(qint64{*graph->profile().tokensPerStep}, qint64{2 * s * b});
        bool found = false;
        for (TensorIndex t = 0; t < graph->tensorCount(); ++t) {
            if (graph->tensor(t).id != "encoder.final_norm.out")
                continue;
            found = true;
            QCOMPARE(graph->consumers(t).size(), std::size_t{4});
        }
        QVERIFY(found);
    }

    void optionsShapeTheLink() {
        AnalyticOptions options;
        const Link standard = *chosenLink(options);
        QCOMPARE(qint64{standard.deviceToHostBytesPerS}, qint64{24'800'000'000});
        QCOMPARE(qint64{standard.latencyNs}, qint64{10'000});
        QVERIFY(!standard.hostMemoryBytes);
        options.link = "pcie3-x16";
        options.hostToDeviceBytesPerS = 11'000'000'000;
        options.copyLatencyNs = 0;
        options.fullDuplex = false;
        options.hostMemoryBytes = 0;
        const Link link = graphOf(gpt(), options)->profile().link;
        QCOMPARE(QString::fromStdString(link.name), QString("PCIe 3.0 x16"));
        QCOMPARE(qint64{link.deviceToHostBytesPerS}, qint64{12'360'000'000});
        QCOMPARE(qint64{link.hostToDeviceBytesPerS}, qint64{11'000'000'000});
        QCOMPARE(qint64{link.latencyNs}, qint64{0});
        QVERIFY(!link.fullDuplex && link.hostMemoryBytes == 0);
    }

    void tablesAreComplete() {
        std::set<std::string> ids;
        for (const DeviceSpec& device : devices()) {
            QVERIFY2(ids.insert(device.id).second, device.id.c_str());
            QVERIFY2(!device.source.empty() && device.memoryBytes > 0, device.id.c_str());
            QVERIFY2(analyticProfile(gpt(), optionsFor(device)), device.id.c_str());
        }
        for (const LinkSpec& link : links()) {
            QVERIFY2(ids.insert(link.id).second, link.id.c_str());
            QVERIFY2(!link.source.empty(), link.id.c_str());
            QVERIFY2(link.deviceToHostBytesPerS <= link.paperBytesPerS, link.id.c_str());
            QVERIFY2(link.hostToDeviceBytesPerS <= link.paperBytesPerS, link.id.c_str());
        }
        for (const ModelPreset& preset : modelPresets()) {
            QVERIFY2(ids.insert(preset.id).second, preset.id.c_str());
            QVERIFY2(!preset.source.empty(), preset.id.c_str());
        }
    }

    void refusals_data() {
        QTest::addColumn<TransformerConfig>("config");
        QTest::addColumn<AnalyticOptions>("options");
        QTest::addColumn<QString>("says");
        const auto row = [](const char* name, auto change, const char* says) {
            TransformerConfig config = gpt();
            AnalyticOptions options;
            change(config, options);
            QTest::newRow(name) << config << options << QString(says);
        };
        using C = TransformerConfig;
        using O = AnalyticOptions;
        row(
            "batch 0", [](C&, O& o) { o.batch = 0; }, "the batch is 0");
        row(
            "batch negative", [](C&, O& o) { o.batch = -3; }, "the batch is -3");
        row(
            "batch absurd", [](C&, O& o) { o.batch = INT64_MAX; }, "the batch is 9223372036854775807");
        row(
            "sequence 0", [](C&, O& o) { o.sequence = 0; }, "the sequence is 0");
        row(
            "beyond learned positions", [](C&, O& o) { o.sequence = s + 1; }, "256 learned positions");
        row(
            "sequence absurd",
            [](C& c, O& o) {
                c = llama(a);
                o.sequence = 1 << 30;
                o.batch = 1 << 30;
            },
            "choose a smaller batch or sequence");
        row(
            "eager attention absurd",
            [](C& c, O& o) {
                c = llama(a);
                o.sequence = 1 << 26;
                o.attention = Attention::Eager;
            },
            "choose a smaller batch or sequence");
        row(
            "matmul efficiency 0", [](C&, O& o) { o.matmulEfficiency = 0; }, "matmul efficiency is 0");
        row(
            "matmul efficiency 1.5", [](C&, O& o) { o.matmulEfficiency = 1.5; }, "at most 1");
        row(
            "memory efficiency negative", [](C&, O& o) { o.memoryEfficiency = -0.1; },
            "memory efficiency is -0.1");
        row(
            "memory efficiency NaN", [](C&, O& o) { o.memoryEfficiency = std::nan(""); },
            "memory efficiency is");
        row(
            "matmul efficiency tiny", [](C&, O& o) { o.matmulEfficiency = 1e-300; }, "2^53");
        row(
            "launch negative", [](C&, O& o) { o.launchNs = -1; }, "launch time");
        row(
            "latency negative", [](C&, O& o) { o.copyLatencyNs = -1; }, "copy latency");
        row(
            "bandwidth 0", [](C&, O& o) { o.deviceToHostBytesPerS = 0; }, "device-to-host bandwidth is 0");
        row(
            "host memory negative", [](C&, O& o) { o.hostMemoryBytes = -1; }, "host memory is -1");
        row(
            "unknown device", [](C&, O& o) { o.device = "a100"; }, "a100-80gb-sxm");
        row(
            "unknown link", [](C&, O& o) { o.link = "pcie4"; }, "pcie4-x16");
        row(
            "no bf16", [](C&, O& o) { o.device = "v100-16gb-sxm"; }, "no bf16 matrix units");
        row(
            "no layers", [](C& c, O&) { c.layers = 0; }, "number of layers is 0");
        row(
            "too many layers", [](C& c, O&) { c.layers = 1'000'000'000; }, "number of layers");
        row(
            "no encoder", [](C& c, O&) { c.architecture = Architecture::EncoderDecoder; },
            "encoder layers is 0");
        row(
            "hidden 0", [](C& c, O&) { c.hidden = 0; }, "hidden size is 0");
        row(
            "more kv heads than heads", [](C& c, O&) { c.kvHeads = a + 1; }, "key/value heads is 9");
        row(
            "uneven kv heads", [](C& c, O&) { c.kvHeads = 3; }, "evenly");
        row(
            "heads too wide", [](C& c, O&) { c.headDim = std::int64_t{1} << 31; }, "2^31");
        row(
            "more active experts than experts",
            [](C& c, O&) {
                c.moe = MixtureOfExperts{4, 5, 0, 64, 0};
            },
            "experts per token is 5");
        row(
            "no key rank",
            [](C& c, O&) {
                c.latentAttention = LatentAttention{0, 0, 8, 8, 8};
            },
            "key/value rank is 0");
        row(
            "vocabulary 0", [](C& c, O&) { c.vocabulary = 0; }, "vocabulary is 0");
        row(
            "model too large", [](C& c, O&) { c.hidden = c.ffnWidth = std::int64_t{1} << 31; }, "2^53");
    }
    void refusals() {
        QFETCH(TransformerConfig, config);
        QFETCH(AnalyticOptions, options);
        QFETCH(QString, says);
        const auto profile = analyticProfile(config, options);
        QVERIFY(!profile);
        const QString sentence = QString::fromStdString(profile.error().sentence());
        QVERIFY2(sentence.contains(says) && !sentence.contains('\n'), qPrintable(sentence));
    }

private:
    static AnalyticOptions optionsFor(const DeviceSpec& device) {
        AnalyticOptions options;
        options.device = device.id;
        options.precision = device.bf16FlopsPerS ? Precision::Bf16 : Precision::Fp16;
        return options;
    }
    // What holds for every analytic profile.
    static void checkStructure(const StepGraph& graph, const TransformerConfig& config) {
        std::set<int> layers;
        for (OperatorIndex i = 0; i < graph.operatorCount(); ++i) {
            if (graph.op(i).layer)
                layers.insert(*graph.op(i).layer);
            QVERIFY2(!graph.op(i).kind.empty(), graph.op(i).id.c_str());
        }
        QCOMPARE(static_cast<std::int64_t>(layers.size()), config.layers + config.encoderLayers);
        QVERIFY(!graph.op(0).layer && !graph.op(graph.operatorCount() - 1).layer);
        for (TensorIndex t = 0; t < graph.tensorCount(); ++t) {
            const Tensor& tensor = graph.tensor(t);
            const bool isSide = tensor.kind.find("mask") != std::string::npos ||
                                tensor.kind.find("log-sum-exp") != std::string::npos ||
                                graph.producer(t) == none;
            if (isSide)
                QVERIFY2(tensor.gradientBytes == 0, tensor.id.c_str());
            QVERIFY2(tensor.bytes > 0, tensor.id.c_str());
            QVERIFY2(!graph.isSaved(t) || !tensor.kind.empty(), tensor.id.c_str());
            QVERIFY2(!graph.consumers(t).empty() || graph.isSaved(t) || tensor.kind == "loss",
                     tensor.id.c_str());
            QVERIFY2(graph.producer(t) == none || graph.canRecompute(t), tensor.id.c_str());
        }
    }
};

QTEST_APPLESS_MAIN(TestTransformer)
#include "test_transformer.moc"
