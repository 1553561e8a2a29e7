// Loads inputs and builds analytic profiles off the UI thread; the newest request wins.
#pragma once

#include "ui/session/newest_worker.h"
#include "ui/session/scenario.h"

#include <QObject>

namespace slackscope {

// Blocking: loads the input, builds its graph and what the window needs to know about it.
tl::expected<LoadedStepPtr, InputError> loadStep(const Scenario& scenario);

class LoadService : public QObject {
    Q_OBJECT
public:
    explicit LoadService(QObject* parent = nullptr) : QObject(parent) {}

    quint64 request(const Scenario& scenario); // the job's number, rising
    void cancel();

signals:
    // For the newest request only.
    void loaded(quint64 job, slackscope::LoadedStepPtr step);
    void refused(quint64 job, const QString& sentence);

private:
    quint64 newest_ = 0;
    NewestWorker worker_; // last: its task uses the members above
};

} // namespace slackscope
