precision mediump float;
varying vec4 x, y;
void main() { gl_FragColor = min(x, max(x, y)); }
