// What is written of a sweep is what the sweep found, in every form.
#include "core/planner/lower_bound.h"
#include "core/report/quantities.h"
#include "core/report/sweep_csv.h"
#include "core/report/sweep_json.h"
#include "core/report/sweep_text.h"
#include "tests/support/json.h"
#include "tests/support/profiles.h"

#include <QtTest>

using namespace slackscope;
using namespace slackscope::test;

namespace {

Sweep layeredSweep(std::int32_t splits) {
    SweepRequest request;
    request.graph = StepGraph::build(layeredProfile(5)).value();
    // Quick ones: what is written is the same whichever they are.
    request.strategies = {findStrategy("keep-all"), findStrategy("slackswap"),
                          findStrategy("recompute-only")};
    const Bytes peak = unlimitedPeak(request.graph);
    request.grid = evenBudgets(peak / 10, peak, 7);
    request.splits = splits;
    return *runSweep(request, nullptr, {});
}

AxisRequest axisRequest() {
    AxisRequest request;
    request.make = [](std::int64_t layers) -> tl::expected<AxisCase, std::string> {
        if (layers > 6)
            return tl::unexpected(std::string("\"deep\", refused."));
        AxisCase made;
        made.graph = StepGraph::build(layeredProfile(static_cast<int>(layers))).value();
        made.budgetBytes = unlimitedPeak(StepGraph::build(layeredProfile(4)).value());
        return made;
    };
    request.strategies = {findStrategy("slackswap"), findStrategy("keep-all")};
    return request;
}

AxisSweep layerSweep() {
    return *runAxisSweep(axisRequest(), std::vector<std::int64_t>{2, 4, 6, 8}, {}, {});
}

std::int64_t whole(const QJsonValue& value) {
    return value.toVariant().toLongLong();
}

bool isPoint(const QJsonObject& json, const SweepPoint& point) {
    if (whole(json["budget_bytes"]) != point.budgetBytes || json["feasible"].toBool() != point.feasible)
        return false;
    if (!point.feasible)
        return !json.contains("step_ns");
    return whole(json["step_ns"]) == point.stepNs &&
           json["throughput_of_ideal"].toDouble() == point.throughputOfIdeal &&
           whole(json["recomputed_ns"]) == point.recomputedNs &&
           whole(json["stall_ns"].toObject()["memory"]) == point.memoryStallNs &&
           whole(json["stall_ns"].toObject()["transfer"]) == point.transferStallNs &&
           whole(json["peak_bytes"]) == point.peakBytes &&
           whole(json["offloaded_bytes"]) == point.offloadedBytes;
}

} // namespace

class TestSweepWriters : public QObject {
    Q_OBJECT
private slots:
    void jsonHoldsEveryPoint() {
        const Sweep sweep = layeredSweep(3);
        const QJsonObject json = parsedObject(written([&](const TextSink& sink) {
            writeSweepJson(sweep, {"a \"name\"", {}}, sink);
        }));
        QCOMPARE(json["format"].toString(), QString("slackscope-sweep"));
        QCOMPARE(json["version"].toInt(), 1);
        QCOMPARE(json["simulated"].toBool(), true);
        QCOMPARE(json["profile"].toString(), QString("a \"name\""));
        QCOMPARE(json["axis"].toString(), QString("budget"));
        QCOMPARE(whole(json["unlimited_peak_bytes"]), sweep.unlimitedPeakBytes);
        QCOMPARE(whole(json["ideal_ns"]), sweep.idealNs);
        const QJsonArray curves = json["curves"].toArray();
        QCOMPARE(static_cast<std::size_t>(curves.size()), sweep.curves.size());
        for (std::size_t i = 0; i < sweep.curves.size(); ++i) {
            const QJsonObject curve = curves[static_cast<qsizetype>(i)].toObject();
            QCOMPARE(curve["strategy"].toString().toStdString(), sweep.curves[i].strategy);
            QCOMPARE(whole(curve["minimum_budget_bytes"]), *sweep.curves[i].minimumBudgetBytes);
            const QJsonArray points = curve["points"].toArray();
            QCOMPARE(static_cast<std::size_t>(points.size()), sweep.curves[i].points.size());
            for (std::size_t p = 0; p < sweep.curves[i].points.size(); ++p)
                QVERIFY(isPoint(points[static_cast<qsizetype>(p)].toObject(), sweep.curves[i].points[p]));
        }
        const QJsonArray bound = json["bound"].toArray();
        QCOMPARE(static_cast<std::size_t>(bound.size()), sweep.bound.size());
        for (std::size_t i = 0; i < sweep.bound.size(); ++i) {
            const QJsonObject point = bound[static_cast<qsizetype>(i)].toObject();
            QCOMPARE(whole(point["budget_bytes"]), sweep.bound[i].budgetBytes);
            QCOMPARE(whole(point["lower_bound_ns"]), sweep.bound[i].lowerBoundNs);
        }
    }

    void csvHoldsEveryPoint() {
        const Sweep sweep = layeredSweep(2);
        QList<QByteArray> lines = written([&](const TextSink& sink) {
                                      writeSweepCsv(sweep, {"net", {}}, sink);
                                  }).split('\n');
        QCOMPARE(lines.takeLast(), QByteArray());
        const QList<QByteArray> heading = lines.takeFirst().trimmed().split(',');
        QCOMPARE(heading.size(), 13);
        std::size_t next = 0;
        for (const SweepCurve& curve : sweep.curves) {
            for (const SweepPoint& point : curve.points) {
                const QList<QByteArray> row = lines.at(static_cast<qsizetype>(next++)).trimmed().split(',');
                QCOMPARE(row.size(), heading.size());
                QCOMPARE(row[0].toStdString(), curve.strategy);
                QCOMPARE(row[1].toLongLong(), point.budgetBytes);
                QVERIFY(std::abs(row[2].toDouble() - 100.0 * static_cast<double>(point.budgetBytes) /
                                                         static_cast<double>(sweep.unlimitedPeakBytes)) <
                        1e-4);
                QCOMPARE(row[3], QByteArray(point.feasible ? "1" : "0"));
                QCOMPARE(row[11].toLongLong(), *curve.minimumBudgetBytes);
                QCOMPARE(row[4].isEmpty(), !point.feasible);
                if (!point.feasible)
                    continue;
                QCOMPARE(row[4].toDouble(), point.throughputOfIdeal);
                QCOMPARE(row[5].toLongLong(), point.stepNs);
                QCOMPARE(row[6].toLongLong(), point.recomputedNs);
                QCOMPARE(row[7].toLongLong(), point.memoryStallNs);
                QCOMPARE(row[8].toLongLong(), point.transferStallNs);
                QCOMPARE(row[9].toLongLong(), point.peakBytes);
                QCOMPARE(row[10].toLongLong(), point.offloadedBytes);
            }
        }
        for (const BoundPoint& point : sweep.bound) {
            const QList<QByteArray> row = lines.at(static_cast<qsizetype>(next++)).trimmed().split(',');
            QCOMPARE(row.size(), heading.size());
            QCOMPARE(row[0], QByteArray("lower-bound"));
            QCOMPARE(row[1].toLongLong(), point.budgetBytes);
            QCOMPARE(row[5].toLongLong(), point.lowerBoundNs);
        }
        QCOMPARE(static_cast<std::size_t>(lines.size()), next);
    }

    void textHasARowForEachBudget() {
        const Sweep sweep = layeredSweep(0);
        const QStringList lines = QString::fromStdString(sweepText(sweep, {"layers", {}})).split('\n');
        const auto heading = lines.indexOf(QRegularExpression("^budget +of peak .* bound$"));
        QVERIFY(heading > 0);
        for (std::size_t i = 0; i < sweep.grid.size(); ++i) {
            // "1.25 GiB", "10.0 %", then one cell per strategy and the bound.
            const QStringList cells =
                lines[heading + 1 + static_cast<qsizetype>(i)].split(' ', Qt::SkipEmptyParts);
            QCOMPARE(static_cast<std::size_t>(cells.size()), 4 + sweep.curves.size() + 1);
            for (std::size_t c = 0; c < sweep.curves.size(); ++c) {
                const auto& points = sweep.curves[c].points;
                const auto point = std::find_if(points.begin(), points.end(), [&](const SweepPoint& p) {
                    return p.budgetBytes == sweep.grid[i];
                });
                const QString cell = cells[4 + static_cast<qsizetype>(c)];
                QCOMPARE(cell == "-", !point->feasible);
                if (point->feasible)
                    QVERIFY(std::abs(cell.toDouble() - 100 * point->throughputOfIdeal) < 0.0051);
            }
            const double bound =
                100.0 * static_cast<double>(sweep.idealNs) / static_cast<double>(sweep.bound[i].lowerBoundNs);
            QVERIFY(cells.last().toDouble() >= bound - 1e-6);
            QVERIFY(cells.last().toDouble() <= bound + 0.01);
        }
        QVERIFY(!lines.filter(QRegularExpression("^Simulated, not measured")).isEmpty());
        for (const SweepCurve& curve : sweep.curves)
            QVERIFY(!lines.filter(QRegularExpression("^" + QString::fromStdString(curve.strategy) + " "))
                         .isEmpty());
    }

    void axisRowsAreWritten() {
        const AxisSweep sweep = layerSweep();
        const QJsonObject json = parsedObject(written([&](const TextSink& sink) {
            writeAxisSweepJson(sweep, {"layers", {}}, "depth", sink);
        }));
        QCOMPARE(json["axis"].toString(), QString("depth"));
        QCOMPARE(json["strategies"].toArray(), (QJsonArray{"slackswap", "keep-all"}));
        const QJsonArray rows = json["rows"].toArray();
        QCOMPARE(rows.size(), 4);
        for (std::size_t i = 0; i < 3; ++i) {
            const QJsonObject row = rows[static_cast<qsizetype>(i)].toObject();
            QCOMPARE(whole(row["value"]), sweep.rows[i].value);
            QCOMPARE(whole(row["ideal_ns"]), sweep.rows[i].idealNs);
            QCOMPARE(whole(row["lower_bound_ns"]), *sweep.rows[i].lowerBoundNs);
            for (qsizetype s = 0; s < 2; ++s) {
                const QJsonObject result = row["results"].toArray()[s].toObject();
                const AxisResult& expected = sweep.rows[i].results[static_cast<std::size_t>(s)];
                QVERIFY(isPoint(result, expected.point));
                QCOMPARE(whole(result["minimum_budget_bytes"]), expected.minimumBudgetBytes);
            }
        }
        QCOMPARE(rows[3].toObject()["refused"].toString(), QString("\"deep\", refused."));

        const QByteArray csv = written([&](const TextSink& sink) {
            writeAxisSweepCsv(sweep, {"layers", {}}, "depth", sink);
        });
        const QList<QByteArray> lines = csv.trimmed().split('\n');
        QVERIFY(lines.front().startsWith("strategy,depth,budget_bytes,"));
        QCOMPARE(lines.size(), 1 + 2 * 3 + 3); // heading, strategies, bound
        for (const QByteArray& line : lines)
            QCOMPARE(line.count(','), 13);

        const QString text =
            QString::fromStdString(axisSweepText(sweep, {"depth", formatCount, {"net", {}}, "4"}));
        QVERIFY(text.contains("8      \"deep\", refused.\n"));
        QVERIFY(text.contains("Simulated, not measured"));
        for (const AxisRow& row : sweep.rows) {
            if (!row.refusal.empty())
                continue;
            const QString cell = QString::number(100 * row.results[0].point.throughputOfIdeal, 'f', 2);
            QVERIFY2(text.contains(cell), qPrintable(cell));
        }
    }

    void pinsAreSaidInEveryForm() {
        const Sweep sweep = layeredSweep(0);
        const AxisSweep axisSweep = layerSweep();
        const SweepSubject subject{"net", {{"a \"b\"", Decision::Keep}, {"c", Decision::Offload}}};
        const auto json = [&](auto write) { return parsedObject(written(write))["pins"].toArray(); };
        const QJsonArray pins{QJsonObject{{"tensor", "a \"b\""}, {"decision", "keep"}},
                              QJsonObject{{"tensor", "c"}, {"decision", "offload"}}};
        QCOMPARE(json([&](const TextSink& sink) { writeSweepJson(sweep, subject, sink); }), pins);
        QCOMPARE(json([&](const TextSink& sink) { writeAxisSweepJson(axisSweep, subject, "depth", sink); }),
                 pins);
        LargestRequest request;
        request.axis = axisRequest();
        const Largest largest = *findLargest(request, {}, {});
        QCOMPARE(
            json([&](const TextSink& sink) { writeLargestJson(largest, request, subject, "depth", sink); }),
            pins);
        for (const QByteArray& csv :
             {written([&](const TextSink& sink) { writeSweepCsv(sweep, subject, sink); }),
              written([&](const TextSink& sink) { writeAxisSweepCsv(axisSweep, subject, "depth", sink); })}) {
            QList<QByteArray> lines = csv.trimmed().split('\n');
            QVERIFY(lines.takeFirst().endsWith(",pins\r"));
            for (const QByteArray& line : lines) {
                const bool isBound = line.startsWith("lower-bound,");
                QVERIFY2(line.trimmed().endsWith(isBound ? ",," : ",\"a \"\"b\"\"=keep c=offload\""),
                         line.constData());
            }
        }
        const AxisWords words{"depth", formatCount, subject, "4"};
        for (const std::string& text : {sweepText(sweep, subject), axisSweepText(axisSweep, words),
                                        largestText(largest, request, words)})
            QVERIFY2(text.find("\nPinned       a \"b\" = keep\n             c = offload\n") !=
                         std::string::npos,
                     text.c_str());
        QVERIFY(sweepText(sweep, {"net", {}}).find("Pinned") == std::string::npos);
    }

    void valuesAreShownInTheirUnit() {
        AxisSweep sweep = layerSweep();
        sweep.rows[0].value = 12'500'000'000;
        sweep.rows[1].value = 1;
        const QString text =
            QString::fromStdString(axisSweepText(sweep, {"bandwidth", formatBandwidth, {"net", {}}, "4"}));
        QVERIFY(text.contains("\n12.5 GB/s "));
        QVERIFY(text.contains("\n1 B/s "));
    }

    void theAnswerNamesItsLimit_data() {
        QTest::addColumn<double>("keep");
        QTest::addColumn<std::int64_t>("most");
        QTest::addColumn<QString>("answer");
        QTest::addColumn<QString>("limit");
        QTest::addColumn<QString>("word");
        QTest::newRow("step") << 0.01 << largestQuantity << "Answer       depth 6: "
                              << "Limited by   the input: \"deep\", refused."
                              << "step";
        QTest::newRow("throughput") << 0.9999 << largestQuantity << "Answer       depth 5: "
                                    << "Limited by   throughput: depth 6 fits, but reaches "
                                    << "throughput";
        QTest::newRow("none") << 0.01 << std::int64_t{3} << "Answer       depth 3: "
                              << "Limited by   none up to depth 3"
                              << "none";
    }
    void theAnswerNamesItsLimit() {
        QFETCH(double, keep);
        QFETCH(std::int64_t, most);
        LargestRequest request;
        request.axis = axisRequest();
        request.keep = keep;
        request.most = most;
        const Largest largest = *findLargest(request, {}, {});
        const QString text =
            QString::fromStdString(largestText(largest, request, {"depth", formatCount, {"net", {}}, "4"}));
        QFETCH(QString, answer);
        QFETCH(QString, limit);
        QFETCH(QString, word);
        QVERIFY2(text.contains("\n" + answer), qPrintable(text));
        QVERIFY2(text.contains("\n" + limit), qPrintable(text));
        const QJsonObject json = parsedObject(written([&](const TextSink& sink) {
            writeLargestJson(largest, request, {"net", {}}, "depth", sink);
        }));
        QCOMPARE(json["largest"].toObject()["limit"].toString(), word);
        QCOMPARE(whole(json["largest"].toObject()["value"]), *largest.value);
        QCOMPARE(static_cast<std::size_t>(json["rows"].toArray().size()), largest.tried.rows.size());
    }

    void noAnswerSaysWhatIsNeeded() {
        LargestRequest request;
        request.axis = axisRequest();
        request.axis.make = [](std::int64_t) {
            return AxisCase{StepGraph::build(layeredProfile(2)).value(), 1};
        };
        const Largest largest = *findLargest(request, {}, {});
        const QString text =
            QString::fromStdString(largestText(largest, request, {"depth", formatCount, {"net", {}}, "1"}));
        QVERIFY2(text.contains("Answer       none: not even depth 1\n"), qPrintable(text));
        QVERIFY2(text.contains("memory: depth 1 needs "), qPrintable(text));
        const QJsonObject json = parsedObject(written([&](const TextSink& sink) {
            writeLargestJson(largest, request, {"net", {}}, "depth", sink);
        }));
        QVERIFY(json["largest"].toObject()["value"].isNull());
    }
};

QTEST_APPLESS_MAIN(TestSweepWriters)
#include "test_sweep_writers.moc"
