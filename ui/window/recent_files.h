// The files that were opened last, newest first; kept in the settings.
#pragma once

#include <QSettings>
#include <QStringList>

namespace slackscope {

class RecentFiles {
public:
    explicit RecentFiles(QSettings& settings) : settings_(settings) {}
    QStringList list() const;
    void add(const QString& path); // made absolute
    void remove(const QString& path);
    void clear();

private:
    QSettings& settings_;
};

} // namespace slackscope
