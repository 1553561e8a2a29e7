#include "core/planner/threads.h"

#include <algorithm>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace slackscope {

unsigned coreCount() {
    return std::max(1U, std::thread::hardware_concurrency());
}

void runOnThreads(unsigned threads, const std::function<void()>& work, const std::function<void()>& failed) {
    std::mutex mutex;
    std::exception_ptr first;
    const auto guarded = [&] {
        try {
            work();
        } catch (...) {
            {
                const std::lock_guard lock(mutex);
                if (!first)
                    first = std::current_exception();
            }
            failed();
        }
    };
    std::vector<std::thread> others;
    others.reserve(threads); // nothing may throw once a thread runs
    for (unsigned i = 1; i < threads; ++i) {
        try {
            others.emplace_back(guarded);
        } catch (const std::system_error&) {
            break; // no more threads to be had: those that run do all of the work
        }
    }
    guarded();
    for (std::thread& thread : others)
        thread.join();
    if (first)
        std::rethrow_exception(first);
}

} // namespace slackscope
