// The picture says what the plan says: bars, memory and its parts, events, cells, words.
#include "core/planner/strategy.h"
#include "tests/figures/samples.h"
#include "tests/support/profiles.h"
#include "ui/figures/overlay_painter.h"
#include "ui/figures/step_picture.h"

#include <QTest>

#include <set>

using namespace slackscope;
using namespace slackscope::figures;
using Role = TensorEvent::Role;

class TestStepPicture : public QObject {
    Q_OBJECT

private slots:
    void barsAreTheProgram() {
        const auto picture = test::mixedPicture();
        const auto& [program, timeline] = *picture->plan().simulated;
        QCOMPARE(picture->bars(Lane::Compute).size(), program.computeSteps().size());
        QCOMPARE(picture->bars(Lane::DeviceToHost).size(), program.offloadSteps().size());
        QCOMPARE(picture->bars(Lane::HostToDevice).size(), program.prefetchSteps().size());
        Nanoseconds busy = 0;
        for (const Bar& bar : picture->bars(Lane::Compute))
            busy += bar.toNs - bar.fromNs;
        QCOMPARE(busy, picture->graph().idealNs() + timeline.recomputedNs);
        Nanoseconds idle = 0;
        for (const Bar& stall : picture->stalls())
            idle += stall.toNs - stall.fromNs;
        QCOMPARE(idle, timeline.memoryStallNs + timeline.transferStallNs);
        QCOMPARE(busy + idle, picture->stepNs());
        for (const Lane lane : allLanes) {
            const std::span<const Bar> bars = picture->bars(lane);
            for (std::size_t i = 1; i < bars.size(); ++i)
                QVERIFY(bars[i - 1].toNs <= bars[i].fromNs);
        }
        QCOMPARE(picture->residentAt(static_cast<double>(picture->peakNs())), picture->peakBytes());
    }

    void partsAddUpToTheCurve_data() {
        QTest::addColumn<int>("seed");
        QTest::addColumn<QString>("strategy");
        for (int seed = 0; seed < 12; ++seed)
            QTest::addRow("random %d", seed) << seed << (seed % 2 ? "slackswap" : "offload-only");
        QTest::newRow("layers") << -1 << "slackswap";
    }
    void partsAddUpToTheCurve() {
        QFETCH(int, seed);
        QFETCH(QString, strategy);
        const auto picture = test::pictureOf(seed < 0 ? test::layeredProfile(8)
                                                      : test::randomProfile(static_cast<unsigned>(seed)),
                                             strategy.toStdString(), seed < 0 ? 0.6 : 1.0);
        QVERIFY(picture->feasible());
        const std::span<const MemoryParts> parts = picture->memoryParts();
        QVERIFY(!parts.empty());
        for (std::size_t i = 0; i < parts.size(); ++i) {
            QVERIFY(parts[i].activations >= 0 && parts[i].gradients >= 0 && parts[i].workspaces >= 0);
            // After the step nothing is resident, whatever the curve's last point says.
            if (parts[i].atNs < picture->stepNs())
                QCOMPARE(parts[i].sum(), picture->residentAt(static_cast<double>(parts[i].atNs)));
        }
    }

    void eventsOfATensorAreInOrder() {
        const auto picture = test::mixedPicture();
        int offloads = 0;
        int recomputes = 0;
        for (const TensorIndex t : picture->graph().savedTensors()) {
            const std::vector<TensorEvent> events = picture->events(t);
            std::multiset<Role> roles;
            Nanoseconds last = 0;
            for (const TensorEvent& event : events) {
                roles.insert(event.role);
                QVERIFY(picture->bar(event).fromNs >= last);
                last = picture->bar(event).fromNs;
            }
            QCOMPARE(roles.count(Role::Produced), picture->graph().producer(t) == none ? 0U : 1U);
            QCOMPARE(roles.count(Role::BackwardUse), picture->graph().savers(t).size());
            if (picture->decision(t) == Decision::Offload) {
                ++offloads;
                QCOMPARE(roles.count(Role::Offload), 1U);
                QVERIFY(roles.count(Role::Prefetch) >= 1);
            }
            if (picture->decision(t) == Decision::Recompute) {
                ++recomputes;
                QVERIFY(roles.count(Role::Recomputed) >= 1);
                QCOMPARE(roles.count(Role::Offload), 0U);
            }
        }
        QVERIFY(offloads > 0 && recomputes > 0);
    }

    void flowsJoinCauseAndEffect() {
        const auto picture = test::mixedPicture();
        for (const TensorIndex t : picture->graph().savedTensors()) {
            const std::vector<Flow> flows = flowsOf(*picture, t);
            for (const Flow& flow : flows)
                QVERIFY(picture->bar(flow.from).fromNs <= picture->bar(flow.to).fromNs);
            const bool usedOnDevice = std::any_of(flows.begin(), flows.end(), [](const Flow& flow) {
                return flow.to.role == Role::BackwardUse;
            });
            if (picture->graph().producer(t) != none)
                QVERIFY(usedOnDevice);
            if (picture->decision(t) == Decision::Offload)
                QVERIFY(std::any_of(flows.begin(), flows.end(), [](const Flow& flow) {
                    return flow.from.role == Role::Prefetch && flow.to.role == Role::BackwardUse;
                }));
        }
        QVERIFY(flowsOf(*picture, none).empty());
    }

    void barsAreFoundByTime() {
        const auto picture = test::mixedPicture();
        for (const Lane lane : allLanes) {
            const std::span<const Bar> bars = picture->bars(lane);
            for (std::size_t i = 0; i < bars.size(); ++i) {
                const double middle = static_cast<double>(bars[i].fromNs + bars[i].toNs) / 2;
                QCOMPARE(picture->barAt(lane, middle), static_cast<std::int32_t>(i));
            }
            QCOMPARE(picture->barAt(lane, -1), none);
            QCOMPARE(picture->barAt(lane, 1e18), none);
            const auto last = static_cast<std::int32_t>(bars.size()) - 1;
            const double after = static_cast<double>(bars.back().toNs) + 5;
            QCOMPARE(picture->barNear(lane, after, 10), last);
            QCOMPARE(picture->barNear(lane, after, 2), none);
        }
    }

    void rangesAreRead() {
        const auto picture = test::mixedPicture();
        const RangeReadout all = picture->read({0, picture->stepNs()});
        Bytes moved = 0;
        for (const Bar& bar : picture->bars(Lane::DeviceToHost))
            moved += picture->graph().tensor(bar.id).bytes;
        QCOMPARE(all.toHostBytes, moved);
        QCOMPARE(all.peakBytes, picture->peakBytes());
        QVERIFY(all.computeBusy > 0.9 && all.computeBusy <= 1);
        // Two halves make a whole, up to the byte that is cut.
        const Nanoseconds middle = picture->stepNs() / 3;
        const RangeReadout first = picture->read({0, middle});
        const RangeReadout second = picture->read({middle, picture->stepNs()});
        QVERIFY(std::abs(first.toHostBytes + second.toHostBytes - all.toHostBytes) <= 1);
        QVERIFY(std::abs(first.toDeviceBytes + second.toDeviceBytes - all.toDeviceBytes) <= 1);
        QCOMPARE(std::max(first.peakBytes, second.peakBytes), all.peakBytes);
        QCOMPARE(picture->read({middle, middle}).computeBusy, 0.0);
    }

    void eventsAreStepped() {
        const auto picture = test::mixedPicture();
        std::set<Nanoseconds> starts;
        for (const Lane lane : allLanes) {
            for (const Bar& bar : picture->bars(lane))
                starts.insert(bar.fromNs);
        }
        std::vector<Nanoseconds> walked;
        for (std::optional<Nanoseconds> at = Nanoseconds{-1}; (at = picture->nextEvent(*at));)
            walked.push_back(*at);
        QVERIFY(std::equal(starts.begin(), starts.end(), walked.begin(), walked.end()));
        QCOMPARE(*picture->previousEvent(walked[3]), walked[2]);
        QVERIFY(!picture->previousEvent(0));
    }

    void everySavedTensorHasOneCell_data() {
        QTest::addColumn<QString>("what");
        QTest::addColumn<int>("shape");
        QTest::newRow("layers") << "layers" << static_cast<int>(DecisionGrid::Shape::Layers);
        QTest::newRow("one layer") << "one" << static_cast<int>(DecisionGrid::Shape::Layers);
        QTest::newRow("no layers, few") << "few" << static_cast<int>(DecisionGrid::Shape::Kinds);
        QTest::newRow("no layers, 5000") << "many" << static_cast<int>(DecisionGrid::Shape::Flow);
        QTest::newRow("random") << "random" << static_cast<int>(DecisionGrid::Shape::Layers);
    }
    void everySavedTensorHasOneCell() {
        QFETCH(QString, what);
        QFETCH(int, shape);
        Profile profile = what == "layers" ? test::layeredProfile(96)
                          : what == "one"  ? test::layeredProfile(1)
                          : what == "few"  ? test::plainChain(7, 10, 10)
                          : what == "many" ? test::plainChain(5000, 10, 10)
                                           : test::randomProfile(3);
        const auto graph = StepGraph::build(std::move(profile)).value();
        const DecisionGrid grid = makeDecisionGrid(*graph);
        QCOMPARE(static_cast<int>(grid.shape), shape);
        QCOMPARE(grid.cells.size(), graph->savedTensors().size());
        std::set<TensorIndex> seen;
        std::set<std::tuple<int, int, int>> places;
        for (const DecisionCell& cell : grid.cells) {
            seen.insert(cell.tensor);
            places.insert({cell.row, cell.column, cell.part});
            QVERIFY(cell.row >= 0 && cell.row < static_cast<int>(grid.rows.size()));
            QVERIFY(cell.column >= 0 && cell.column < static_cast<int>(grid.columns.size()));
            QVERIFY(cell.part < cell.parts);
        }
        QCOMPARE(seen.size(), grid.cells.size());
        QCOMPARE(places.size(), grid.cells.size());
        QVERIFY(grid.columns.size() <= 256 && grid.rows.size() <= 64);
    }

    void whatDependsOnTheGraphIsShared() {
        const auto plan = test::planOf(test::layeredProfile(4), "slackswap", 0.6);
        const auto first = StepPicture::build(plan);
        const auto second = StepPicture::build(plan, {}, first);
        QCOMPARE(&first->grid(), &second->grid());
        QVERIFY(first->unlimitedMemory().empty());
    }

    void wordsHoldTheNumbers() {
        const auto picture = test::mixedPicture();
        const QString caption = picture->caption();
        for (const char* part :
             {"12 layers", "batch 4", "sequence 1024", "test link (25.0 GB/s)", "budget 50.0 %",
              "strategy SlackSwap", "of ideal throughput", "tokens/s", "simulated"})
            QVERIFY2(caption.contains(QLatin1String(part)), qPrintable(caption));
        const HoverInfo copy = picture->describeBar(Lane::DeviceToHost, 0);
        QCOMPARE(copy.tensor, picture->bars(Lane::DeviceToHost)[0].id);
        QVERIFY(copy.lines.join('\n').contains(QStringLiteral("GB/s")));
        QVERIFY(copy.lines.join('\n').contains(QStringLiteral("Decision: offload")));
        QVERIFY(picture->timelineSummary().contains(QStringLiteral("ideal throughput")));
        QVERIFY(picture->decisionSummary().contains(QStringLiteral("Saved tensors: ")));
        QVERIFY(picture->infeasibleSentence().isEmpty());
    }

    void captionNamesThePins_data() {
        QTest::addColumn<int>("count");
        QTest::addColumn<double>("part");
        QTest::addColumn<QString>("text");
        QTest::newRow("none") << 0 << 0.5 << QString();
        QTest::newRow("one") << 1 << 0.5 << QStringLiteral(" · pinned: %1 (keep) · ");
        QTest::newRow("two") << 2 << 0.5 << QStringLiteral(" · pinned: %1 (keep), %2 (keep) · ");
        QTest::newRow("many") << 5 << 0.5 << QStringLiteral(" · 5 pinned decisions · ");
        QTest::newRow("infeasible") << 1 << 0.01 << QStringLiteral(" · pinned: %1 (keep) · ");
    }
    void captionNamesThePins() {
        QFETCH(int, count);
        QFETCH(double, part);
        QFETCH(QString, text);
        const auto graph = StepGraph::build(test::layeredProfile(6)).value();
        Pins pins;
        for (int i = 0; i < count; ++i)
            pins = withPin(pins, graph->savedTensors()[static_cast<std::size_t>(i)], Decision::Keep);
        const auto budget = static_cast<Bytes>(part * static_cast<double>(unlimitedPeak(graph)));
        const auto picture = StepPicture::build(
            std::make_shared<const Plan>(findStrategy("slackswap")->prepare(graph, pins, {})->plan(budget)));
        QCOMPARE(picture->feasible(), part > 0.1);
        for (const Pin& pin : pins) {
            if (text.contains(QLatin1Char('%')))
                text = text.arg(QString::fromStdString(graph->tensor(pin.tensor).id));
        }
        QCOMPARE(picture->caption().contains(QStringLiteral("pinned")), count > 0);
        QVERIFY2(picture->caption().contains(text), qPrintable(picture->caption()));
    }

    void captionCountsPinsWithLongNames() {
        Profile profile = test::layeredProfile(2);
        for (Tensor& tensor : profile.tensors)
            tensor.id += std::string(5000, 'x');
        const auto graph = StepGraph::build(std::move(profile)).value();
        const Pins pins = withPin({}, graph->savedTensors()[0], Decision::Keep);
        const auto picture = StepPicture::build(std::make_shared<const Plan>(
            findStrategy("slackswap")->prepare(graph, pins, {})->plan(unlimitedPeak(graph))));
        QVERIFY(picture->caption().contains(QStringLiteral(" · 1 pinned decision · ")));
        QVERIFY(picture->caption().size() < 400);
    }

    void infeasibleSaysWhatItNeeds() {
        const auto picture = test::pictureOf(test::layeredProfile(6), "slackswap", 0.01);
        QVERIFY(!picture->feasible());
        QVERIFY(picture->bars(Lane::Compute).empty());
        QVERIFY(picture->memory().empty());
        QVERIFY(picture->infeasibleSentence().contains(QStringLiteral("needs at least")));
        QVERIFY(picture->caption().contains(QStringLiteral("infeasible")));
        QVERIFY(!picture->decision(picture->graph().savedTensors()[0]));
        QVERIFY(picture->events(picture->graph().savedTensors()[0]).empty());
        QVERIFY(!picture->extent({{picture->graph().savedTensors()[0]}, 0}));
    }

    void degenerateSteps_data() {
        QTest::addColumn<int>("operators");
        QTest::addColumn<int>("ns");
        QTest::addColumn<int>("bytes");
        QTest::newRow("one operator") << 1 << 100 << 10;
        QTest::newRow("no time") << 5 << 0 << 10;
        QTest::newRow("no time, no bytes") << 3 << 0 << 0;
    }
    void degenerateSteps() {
        QFETCH(int, operators);
        QFETCH(int, ns);
        QFETCH(int, bytes);
        const auto picture = test::pictureOf(test::plainChain(operators, ns, bytes), "keep-all", 0);
        QVERIFY(picture->feasible());
        QCOMPARE(picture->bars(Lane::Compute).size(), static_cast<std::size_t>(2 * operators));
        QCOMPARE(picture->stepNs(), Nanoseconds{3} * operators * ns);
        for (int i = 0; i < 2 * operators; ++i)
            QVERIFY(!picture->describeBar(Lane::Compute, i).title.isEmpty());
        QVERIFY(picture->caption().contains(QStringLiteral("no budget")));
    }
};

QTEST_MAIN(TestStepPicture)
#include "test_step_picture.moc"
