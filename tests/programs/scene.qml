// SPDX-License-Identifier: MIT
// What Qt Quick's scene graph has of its own shaders: antialiased edges, a gradient, blur and shadow.  No text: fonts differ.
import QtQuick 2.15
import QtQuick.Window 2.15
import QtGraphicalEffects 1.15

Window {
    visible: true
    color: "#203040"

    Rectangle {
        id: card
        x: 40; y: 60; width: 200; height: 120
        radius: 24
        rotation: 12
        antialiasing: true
        gradient: Gradient {
            GradientStop { position: 0; color: "gold" }
            GradientStop { position: 1; color: "crimson" }
        }
    }
    DropShadow {
        anchors.fill: card
        source: card
        rotation: 12
        radius: 12; samples: 17
        horizontalOffset: 8; verticalOffset: 8
        color: "#80000000"
    }
    Rectangle {
        id: bars
        x: 30; y: 260; width: 110; height: 80
        color: "teal"
        visible: false
        Rectangle { x: 30; width: 20; height: 80; color: "white" }
        Rectangle { x: 60; y: 20; width: 40; height: 40; radius: 20; color: "orange" }
    }
    FastBlur { anchors.fill: bars; source: bars; radius: 8 }
    ColorOverlay { x: 170; y: 260; width: 110; height: 80; source: bars; color: "#800000ff" }
}
