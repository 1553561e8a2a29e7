// A file appears whole or not at all, and what was there stays until then.
#include "app/cli/output_file.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

#include <sys/stat.h>

using namespace slackscope::cli;

namespace {

QByteArray contentOf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("(missing)");
}

void put(const QString& path, const QByteArray& content) {
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    QCOMPARE(file.write(content), content.size());
}

QStringList entries(const QString& directory) {
    return QDir(directory).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot);
}

} // namespace

class TestOutputFile : public QObject {
    Q_OBJECT
private slots:
    void appearsOnCommit() {
        const QTemporaryDir directory;
        const QString path = directory.filePath("a file.json");
        auto out = OutputFile::open(path.toStdString()).value();
        out.write("one ");
        out.write("two");
        QVERIFY(!QFile::exists(path));
        QVERIFY(out.commit());
        QCOMPARE(contentOf(path), QByteArray("one two"));
        QCOMPARE(entries(directory.path()), QStringList{"a file.json"});
    }
    void checkingLeavesNothing() {
        const QTemporaryDir directory;
        const QString path = directory.filePath("a");
        QVERIFY(OutputFile::check(path.toStdString()));
        QCOMPARE(entries(directory.path()), QStringList());
        put(path, "old");
        QVERIFY(OutputFile::check(path.toStdString()));
        QCOMPARE(contentOf(path), QByteArray("old"));
        QCOMPARE(entries(directory.path()), QStringList{"a"});
        QVERIFY(OutputFile::check(std::nullopt));
        QVERIFY(OutputFile::check("/dev/full")); // found out when it is written to
        for (const char* wrong : {"", "/tmp", "/no/such/folder/a"})
            QCOMPARE(OutputFile::check(wrong).error().status, ExitStatus::OutputNotWritten);
    }
    void withoutCommitTheOldFileStays() {
        const QTemporaryDir directory;
        const QString path = directory.filePath("a");
        put(path, "old");
        {
            auto out = OutputFile::open(path.toStdString()).value();
            out.write("new");
        }
        QCOMPARE(contentOf(path), QByteArray("old"));
        QCOMPARE(entries(directory.path()), QStringList{"a"});
    }
    void keepsPermissionsAndLinks() {
        const QTemporaryDir directory;
        const QString path = directory.filePath("real");
        const QString link = directory.filePath("link");
        put(path, "old");
        QVERIFY(::chmod(qPrintable(path), 0640) == 0);
        QVERIFY(QFile::link(path, link));
        auto out = OutputFile::open(link.toStdString()).value();
        out.write("new");
        QVERIFY(out.commit());
        QCOMPARE(contentOf(path), QByteArray("new"));
        QVERIFY(QFileInfo(link).isSymLink());
        struct stat status {};
        QVERIFY(::stat(qPrintable(path), &status) == 0);
        QCOMPARE(status.st_mode & 0777U, 0640U);
    }
    void newFilesObeyTheMask() {
        const QTemporaryDir directory;
        const QString path = directory.filePath("a");
        const mode_t mask = ::umask(027);
        auto out = OutputFile::open(path.toStdString()).value();
        const bool written = out.commit().has_value();
        ::umask(mask);
        QVERIFY(written);
        struct stat status {};
        QVERIFY(::stat(qPrintable(path), &status) == 0);
        QCOMPARE(status.st_mode & 0777U, 0640U);
    }
    void fullDeviceIsReported() {
        auto out = OutputFile::open(std::string("/dev/full")).value();
        out.write("text");
        const Outcome outcome = out.commit();
        QVERIFY(!outcome);
        QCOMPARE(outcome.error().status, ExitStatus::OutputNotWritten);
        QVERIFY2(outcome.error().sentence.starts_with("cannot write \"/dev/full\": "),
                 outcome.error().sentence.c_str());
    }
    void devicesAreWrittenDirectly() {
        auto out = OutputFile::open(std::string("/dev/null")).value();
        out.write("text");
        QVERIFY(out.commit());
        struct stat status {};
        QVERIFY(::stat("/dev/null", &status) == 0 && S_ISCHR(status.st_mode));
    }
    void refusesWhatCannotBeAFile_data() {
        QTest::addColumn<QString>("path");
        QTest::addColumn<QString>("says");
        QTest::newRow("directory") << "/tmp"
                                   << "it is a directory";
        QTest::newRow("no such directory") << "/nowhere/a"
                                           << "there is no directory \"/nowhere\"";
        QTest::newRow("a file as a directory") << "/etc/passwd/a"
                                               << "cannot write";
        QTest::newRow("empty") << ""
                               << "the name is empty";
        QTest::newRow("too long") << QString(5000, 'x') << "cannot write";
    }
    void refusesWhatCannotBeAFile() {
        QFETCH(QString, path);
        QFETCH(QString, says);
        const auto out = OutputFile::open(path.toStdString());
        QVERIFY(!out);
        QCOMPARE(out.error().status, ExitStatus::OutputNotWritten);
        QVERIFY2(QString::fromStdString(out.error().sentence).contains(says), out.error().sentence.c_str());
    }
};

QTEST_APPLESS_MAIN(TestOutputFile)
#include "test_output_file.moc"
