// SPDX-License-Identifier: MIT
// A browser, QtWebEngine, that shows a page with WebGL and prints its title.
import QtQuick 2.15
import QtQuick.Window 2.15
import QtWebEngine 1.10

Window {
    visible: true
    visibility: Window.FullScreen

    WebEngineView {
        anchors.fill: parent
        url: "webgl.html"
        onTitleChanged: console.log("title: " + title)
    }
}
