// One function on several threads at once.
#pragma once

#include <functional>

namespace slackscope {

// Threads for work that wants all cores: at least 1.
unsigned coreCount();

// Runs `work` once on each of `threads` threads (at least 1), of which the caller's is one, and returns when
// all have ended. The first exception is thrown again then; `failed` is called at once, from the thread that
// threw, so that the others can be told to end.
void runOnThreads(unsigned threads, const std::function<void()>& work, const std::function<void()>& failed);

} // namespace slackscope
