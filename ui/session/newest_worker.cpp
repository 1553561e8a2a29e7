#include "ui/session/newest_worker.h"

#include <utility>

#ifdef Q_OS_LINUX
#include <sys/resource.h>
#endif

namespace slackscope {

namespace {

// Of the calling thread and of the threads that it starts. Qt's own priorities do nothing on Linux but for
// the lowest, which never runs on a busy machine.
void giveWay() {
#ifdef Q_OS_LINUX
    constexpr int niceness = 10;
    setpriority(PRIO_PROCESS, 0, niceness); // a thread's own there; refused: no harm
#endif
}

} // namespace

NewestWorker::NewestWorker(Priority priority)
    : thread_([this, priority] {
          if (priority == Priority::Background)
              giveWay();
          work();
      }) {}

NewestWorker::~NewestWorker() {
    {
        const std::lock_guard lock(mutex_);
        ending_ = true;
        waiting_.reset();
    }
    wake_.notify_one();
    thread_.join();
}

void NewestWorker::submit(quint64 group, Task task) {
    {
        const std::lock_guard lock(mutex_);
        waiting_ = std::move(task);
        waitingGroup_ = group;
        wantedGroup_ = group;
    }
    wake_.notify_one();
}

void NewestWorker::cancel() {
    const std::lock_guard lock(mutex_);
    waiting_.reset();
    ++cancels_;
}

void NewestWorker::work() {
    for (;;) {
        Task task;
        quint64 group = 0;
        quint64 cancels = 0;
        {
            std::unique_lock lock(mutex_);
            wake_.wait(lock, [this] { return ending_ || waiting_.has_value(); });
            if (ending_)
                return;
            task = std::move(*waiting_);
            waiting_.reset();
            group = waitingGroup_;
            cancels = cancels_;
        }
        task([this, group, cancels] {
            const std::lock_guard lock(mutex_);
            return ending_ || wantedGroup_ != group || cancels_ != cancels;
        });
    }
}

} // namespace slackscope
