// Text that a writer makes, and JSON read back by another parser than ours. For tests that use Qt anyway.
#pragma once

#include <QByteArray>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QtDebug>

#include <string_view>
#include <vector>

namespace slackscope::test {

// What `write` hands to its sink.
template <class Write>
QByteArray written(Write write) {
    QByteArray text;
    write([&](std::string_view piece) { text.append(piece.data(), static_cast<qsizetype>(piece.size())); });
    return text;
}

// An empty object, and a warning, where the text is no JSON object.
inline QJsonObject parsedObject(const QByteArray& text) {
    QJsonParseError error;
    const QJsonDocument document = QJsonDocument::fromJson(text, &error);
    if (error.error != QJsonParseError::NoError)
        qWarning() << error.errorString();
    return document.object();
}

inline std::vector<QJsonObject> objectsOf(const QJsonValue& array) {
    std::vector<QJsonObject> all;
    for (const auto& each : array.toArray())
        all.push_back(each.toObject());
    return all;
}

} // namespace slackscope::test
