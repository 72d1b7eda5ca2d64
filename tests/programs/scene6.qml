// SPDX-License-Identifier: MIT
// Qt 6's scene graph: gradients, rotation, opacity, a layer, a clip.  No text: fonts differ.
import QtQuick
import QtQuick.Window

Window {
    visible: true
    color: "#203040"

    Rectangle {
        x: 40; y: 60; width: 200; height: 120
        radius: 24
        rotation: 12
        antialiasing: true
        gradient: Gradient {
            orientation: Gradient.Horizontal
            GradientStop { position: 0; color: "gold" }
            GradientStop { position: 0.3; color: "crimson" }
            GradientStop { position: 1; color: "navy" }
        }
    }
    Item {
        x: 300; y: 60; width: 160; height: 120
        clip: true
        Rectangle { x: -40; y: -40; width: 140; height: 140; radius: 70; color: "teal" }
        Rectangle { x: 80; y: 40; width: 140; height: 140; radius: 70; color: "orange"; opacity: 0.6 }
    }
    Rectangle {
        x: 80; y: 260; width: 240; height: 120
        color: "#446688"
        opacity: 0.5
        layer.enabled: true
        Rectangle { x: 20; y: 20; width: 120; height: 60; color: "white" }
        Rectangle { x: 100; y: 40; width: 120; height: 60; color: "black" }
    }
}
