#include "ui/window/recent_files.h"

#include <QFileInfo>

namespace slackscope {

namespace {

const QString key = QStringLiteral("recentFiles");
constexpr int most = 10;

} // namespace

QStringList RecentFiles::list() const {
    return settings_.value(key).toStringList();
}

void RecentFiles::add(const QString& path) {
    const QString absolute = QFileInfo(path).absoluteFilePath();
    QStringList files = list();
    files.removeAll(absolute);
    files.prepend(absolute);
    while (files.size() > most)
        files.removeLast();
    settings_.setValue(key, files);
}

void RecentFiles::remove(const QString& path) {
    QStringList files = list();
    files.removeAll(path);
    settings_.setValue(key, files);
}

void RecentFiles::clear() {
    settings_.remove(key);
}

} // namespace slackscope
