#!/usr/bin/python3
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""Fragment programs of applications for shader-db, from packages of Debian and npm.

  extract-applications.py [--packages DIR] [--held-out] OUT

Downloads the packages (npm pack, apt-get; about 60 MB) to DIR, unless they are there, and writes one preprocessed .frag per
program to OUT/PACKAGE/.  --held-out takes other packages, of Debian alone: programs that the compiler was never tuned on, for
figures; whoever looks into one of them makes it a program that it was tuned on.  Engines that put their shaders together from
pieces are followed: for each list of features below, the pieces are joined as the engine does it.  A package that cannot be
had is left out with a message, and the exit status is 1.

  tests/shader-db/extract-applications.py applications
  tests/shader-db/shader-db.py run -o before.txt applications
"""

import argparse
import functools
import glob
import io
import json
import os
import re
import subprocess
import sys
import tarfile

NPM = {'three': 'three@0.100.0', 'gl-transitions': 'gl-transitions@1.71.0', 'pixi-filters': 'pixi-filters@3.1.1',
       'mapbox-gl': 'mapbox-gl@1.13.3', 'phaser-ce': 'phaser-ce@2.20.2'}
DEBIAN = {'darkplaces': 'darkplaces', 'gtk4': 'gtk4=4.8.3+ds-2+deb12u1', 'weston': 'weston=10.0.1-1'}


class Missing(Exception):
    pass


# --- packages ---------------------------------------------------------------------------------------------------------

def archive_of(name, packages):
    def found():
        return sorted(glob.glob(os.path.join(packages, f'{name}[-_]*.t*')) +
                      glob.glob(os.path.join(packages, f'{name}_*.orig.tar.*')) +
                      glob.glob(os.path.join(packages, f'{name}_*.deb')))
    if not found():
        command = (['npm', 'pack', '--silent', NPM[name]] if name in NPM else
                   ['apt-get', 'download', '-qq', name] if name in BINARY else
                   ['apt-get', 'source', '--download-only', '-qq', DEBIAN.get(name, name)])
        subprocess.run(command, cwd=packages, stdout=subprocess.DEVNULL, check=False)
    version = DEBIAN.get(name, '').partition('=')[2].rpartition('-')[0]
    archives = [a for a in found() if '.debian.' not in a and version in a]
    if not archives:
        raise Missing(f'{name}: cannot be downloaded')
    return archives[0]


def read_file(path):
    with open(path, 'rb') as file:
        return file.read()


def read_package(name, packages, pattern):
    """{path: text} of the files of a package whose paths match."""
    archive = archive_of(name, packages)
    content = subprocess.run(['dpkg-deb', '--fsys-tarfile', archive], capture_output=True, check=True).stdout \
        if archive.endswith('.deb') else read_file(archive)
    with tarfile.open(fileobj=io.BytesIO(content)) as tar:
        files = {m.name: tar.extractfile(m).read().decode('utf-8', 'replace')
                 for m in tar if m.isfile() and re.search(pattern, m.name)}
    if not files:
        raise Missing(f'{name}: no file matches {pattern}')
    return files


def stem(path):
    return os.path.basename(path).split('.')[0]


# --- preprocessing ----------------------------------------------------------------------------------------------------

def preprocess(text, defines, es):
    text = re.sub(r'^\s*#\s*(version|extension)[^\n]*', '', text, flags=re.M)
    command = ['cpp', '-P', '-undef', '-nostdinc', '-w'] + [f'-D{d}' for d in defines] + (['-DGL_ES=1'] if es else [])
    result = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    if result.returncode:
        raise Missing(f'does not preprocess: {result.stderr[:300]}')
    return f'#version {100 if es else 120}\n' + re.sub(r'\n\s*\n+', '\n', result.stdout)


def write(out, name, text, defines=(), es=True):
    path = os.path.join(out, name + '.frag')
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'w', encoding='utf-8') as file:
        file.write(preprocess(text, defines, es))


# --- packages whose shaders are strings -------------------------------------------------------------------------------

def gl_transitions(packages, out):
    """A transition is a function; the library puts it between these lines."""
    cover = 'texture2D({0}, .5 + (uv - .5) * vec2(min(ratio / _{0}R, 1.), min(_{0}R / ratio, 1.)))'
    before = ('precision highp float;\nvarying vec2 _uv;\nuniform sampler2D from, to;\n'
              'uniform float progress, ratio, _fromR, _toR;\n'
              f'vec4 getFromColor(vec2 uv) {{ return {cover.format("from")}; }}\n'
              f'vec4 getToColor(vec2 uv) {{ return {cover.format("to")}; }}\n')
    after = '\nvoid main() { gl_FragColor = transition(_uv); }\n'
    for path, text in read_package('gl-transitions', packages, r'/transitions/[^/]*\.glsl$').items():
        text = re.sub(r'//[^\n]*', '', text)
        text = re.sub(r'/\*.*?\*/', '', text, flags=re.S)
        write(out, stem(path), before + text + after)


def pixi_filters(packages, out):
    text = next(iter(read_package('pixi-filters', packages, r'dist/pixi-filters\.js$').values()))
    number = 0
    for literal in re.findall(r'"(?:[^"\\]|\\.)*gl_FragColor(?:[^"\\]|\\.)*"', text):
        number += 1
        source = json.loads(literal)
        if 'precision' not in source:
            source = 'precision mediump float;\n' + source
        source = source.replace('${angleRatio}', '1.0').replace('%SAMPLE_COUNT%', '8.0')
        source = re.sub(r'\$\{[a-zA-Z]+\}', '4.0', source).replace('%THICKNESS%', '0.8')
        write(out, f'filter-{number}', source)


def js_string_lists(text):
    """The shaders that a file builds as [ "line", "line", ... ]."""
    for part in re.findall(r'\[((?:\s*(?:"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\')\s*,?|\s*//[^\n]*\n)+)\]', text):
        lines = re.findall(r'"((?:[^"\\]|\\.)*)"|\'((?:[^\'\\]|\\.)*)\'', part)
        source = '\n'.join(re.sub(r'\\(.)', lambda m: {'n': '\n', 't': '\t'}.get(m[1], m[1]), a or b) for a, b in lines)
        if 'main' in source and 'gl_FragColor' in source:
            yield source


def phaser_ce(packages, out):
    for path, text in read_package('phaser-ce', packages, r'/filters/[^/]*\.js$').items():
        for i, source in enumerate(js_string_lists(text)):
            write(out, f'{stem(path)}-{i}', source if 'precision' in source else 'precision mediump float;\n' + source)


# --- three.js ---------------------------------------------------------------------------------------------------------

LIGHTS = {'none': (0, 0, 0, 0, 0), 'one': (1, 0, 0, 0, 0), 'point': (0, 1, 0, 0, 0), 'spot': (0, 0, 1, 0, 0),
          'two': (1, 1, 0, 0, 0), 'outdoors': (1, 0, 0, 0, 1), 'four': (1, 2, 1, 0, 0)}
MATERIALS = {
    'meshbasic': [[], ['MAP'], ['MAP', 'FOG'], ['MAP', 'COLOR'], ['MAP', 'ALPHAMAP', 'ALPHATEST 0.5'],
                  ['MAP', 'ENVMAP', 'ENVMAP_TYPE_CUBE', 'ENVMAP_MODE_REFLECTION', 'ENVMAP_BLENDING_MULTIPLY'],
                  ['MAP', 'LIGHTMAP', 'AOMAP'], ['MAP', 'SPECULARMAP', 'FOG', 'FOG_EXP2']],
    'meshlambert': [[], ['MAP'], ['MAP', 'FOG'], ['MAP', 'EMISSIVEMAP'], ['MAP', 'LIGHTMAP', 'AOMAP', 'FOG']],
    'meshphong': [[], ['MAP'], ['MAP', 'FOG'], ['MAP', 'SPECULARMAP'], ['MAP', 'EMISSIVEMAP', 'FOG'], ['TOON'],
                  ['MAP', 'LIGHTMAP', 'AOMAP', 'ALPHAMAP'],
                  ['MAP', 'ENVMAP', 'ENVMAP_TYPE_CUBE', 'ENVMAP_MODE_REFLECTION', 'ENVMAP_BLENDING_MIX']],
    'meshphysical': [[], ['MAP'], ['MAP', 'ROUGHNESSMAP', 'METALNESSMAP'], ['MAP', 'FOG', 'PHYSICAL']],
    'meshmatcap': [[], ['MAP', 'FOG']],
    'points': [[], ['MAP', 'COLOR'], ['MAP', 'FOG', 'ALPHATEST 0.5']],
    'sprite': [['MAP'], ['MAP', 'FOG']],
    'linedashed': [[], ['COLOR', 'FOG']],
    'depth': [['DEPTH_PACKING 3200'], ['DEPTH_PACKING 3201', 'MAP', 'ALPHATEST 0.5']],
    'distanceRGBA': [[], ['MAP', 'ALPHATEST 0.5']],
    'cube': [[]], 'equirect': [[]], 'shadow': [[], ['FOG']], 'normal': [[]],
}
LIT = {'meshphong', 'meshphysical', 'meshlambert', 'shadow'}
PLAIN_DEFINES = ('ENVMAP_', 'ALPHATEST', 'DEPTH_PACKING', 'FOG_EXP2', 'PHYSICAL', 'TOON')


class Three:
    def __init__(self, packages):
        self.chunks, self.programs = {}, {}
        for path, text in read_package('three', packages, r'/renderers/shaders/Shader(Chunk|Lib)/.*\.glsl\.js$').items():
            source = re.search(r'`(.*)`', text, re.S).group(1)
            (self.chunks if 'ShaderChunk' in path else self.programs)[stem(path)] = source

    def include(self, text):
        while '#include <' in text:
            text = re.sub(r'[ \t]*#include +<([\w.]+)>', lambda m: self.chunks[m.group(1)], text)
        return text

    def program(self, name, features, lights, extra):
        used = [f if f.startswith(PLAIN_DEFINES) else 'USE_' + f for f in features] + extra
        if 'USE_ALPHAMAP' in used or 'USE_MAP' in used or 'USE_SPECULARMAP' in used:
            used.append('USE_UV')
        head = 'precision highp float;\nprecision highp int;\nuniform mat4 viewMatrix;\nuniform vec3 cameraPosition;\n'
        head += '#define GAMMA_FACTOR 2.0\n' + ''.join(f'#define {u}\n' for u in used)
        head += self.chunks['encodings_pars_fragment'] + '\n'
        if 'TONE_MAPPING' in used:
            head += self.chunks['tonemapping_pars_fragment']
            head += '\nvec3 toneMapping(vec3 color) { return ReinhardToneMapping(color); }\n'
        for function in ['mapTexelToLinear', 'matcapTexelToLinear', 'envMapTexelToLinear', 'emissiveMapTexelToLinear']:
            head += f'vec4 {function}(vec4 value) {{ return LinearToLinear(value); }}\n'
        encoding = 'LinearToGamma(value, float(GAMMA_FACTOR))' if 'GAMMA' in used else 'LinearToLinear(value)'
        head += f'vec4 linearToOutputTexel(vec4 value) {{ return {encoding}; }}\n'
        text = head + self.include(self.programs[name + '_frag'])
        counts = dict(zip(['NUM_DIR_LIGHTS', 'NUM_POINT_LIGHTS', 'NUM_SPOT_LIGHTS', 'NUM_RECT_AREA_LIGHTS', 'NUM_HEMI_LIGHTS'],
                          LIGHTS[lights]), NUM_CLIPPING_PLANES=0, UNION_CLIPPING_PLANES=0)
        for count, value in counts.items():
            text = text.replace(count, str(value))
        return re.sub(r'#pragma unroll_loop[\d\D]*?for \( int i = (\d+); i < (\d+); i \+\+ \) \{([\s\S]+?)(?=\})\}',
                      lambda m: ''.join(m.group(3).replace('[ i ]', f'[ {i} ]')
                                        for i in range(int(m.group(1)), int(m.group(2)))), text)


def three_materials(packages, out):
    three = Three(packages)
    shadows = ['USE_SHADOWMAP', 'SHADOWMAP_TYPE_PCF']
    for name, lists in MATERIALS.items():
        for number, features in enumerate(lists):
            many = name in {'meshphong', 'meshphysical'}
            lit = ['none', 'one', 'point', 'spot', 'two', 'outdoors', 'four'] if many else ['none']
            for lights in lit if number < 3 else lit[1:4:2] or lit:
                write(out, f'{name}-{number}-{lights}', three.program(name, features, lights, []))
        if name in LIT:
            write(out, f'{name}-shadow', three.program(name, ['MAP'], 'one', shadows))
        if name.startswith('mesh'):
            write(out, f'{name}-tone', three.program(name, ['MAP'], 'two' if name in LIT else 'none', ['TONE_MAPPING', 'GAMMA']))


def three_postprocessing(packages, out):
    three = Three(packages)
    head = 'precision highp float;\nprecision highp int;\nuniform mat4 viewMatrix;\nuniform vec3 cameraPosition;\n'
    for path, text in read_package('three', packages, r'/examples/js/shaders/[^/]*\.js$').items():
        for i, source in enumerate(js_string_lists(text)):
            write(out, f'post-{stem(path)}-{i}', head + three.include(source))


def three_all(packages, out):
    three_materials(packages, out)
    three_postprocessing(packages, out)


# --- mapbox-gl --------------------------------------------------------------------------------------------------------

def mapbox_gl(packages, out):
    files = read_package('mapbox-gl', packages, r'/src/shaders/[^/]*\.fragment\.glsl$')
    prelude = next(text for path, text in files.items() if '_prelude' in path)

    def pragma(match, uniform):
        action, precision, kind, name = match.groups()
        if action == 'define':
            return f'uniform {precision} {kind} u_{name};' if uniform else f'varying {precision} {kind} {name};'
        return f'{precision} {kind} {name} = u_{name};' if uniform else ''
    for path, text in files.items():
        if '_prelude' in path:
            continue
        for uniform in (False, True) if '#pragma mapbox' in text else (False,):
            source = re.sub(r'#pragma mapbox: (\w+) (\w+) (\w+) (\w+)', lambda m: pragma(m, uniform), text)
            write(out, stem(path) + ('-uniform' if uniform else ''), prelude + '\n' + source)


# --- GTK 4, Weston ----------------------------------------------------------------------------------------------------

def gtk4(packages, out):
    files = {os.path.basename(p): t for p, t in read_package('gtk4', packages, r'/gsk/gl/resources/.*\.glsl$').items()}
    head = 'precision highp float;\n' + files.pop('preamble.glsl') + files.pop('preamble.fs.glsl')
    files.pop('preamble.vs.glsl')
    for name, text in files.items():
        body = text.split('FRAGMENT_SHADER:')[-1]
        for clip in ['NO_CLIP', 'RECT_CLIP', 'ROUNDED_CLIP']:
            write(out, f'{stem(name)}-{clip.lower()}', head + body, ['GSK_GLES', clip + '=1'])


def weston(packages, out):
    text = read_package('weston', packages, r'renderer-gl/fragment\.glsl$').popitem()[1]
    for variant in range(1, 8):
        for extra in ([], ['DEF_INPUT_IS_PREMULT=false'], ['DEF_GREEN_TINT=true']):
            flags = {'DEF_GREEN_TINT': 'false', 'DEF_INPUT_IS_PREMULT': 'true', 'DEF_COLOR_PRE_CURVE': '0',
                     'DEF_COLOR_MAPPING': '0'}
            flags.update(e.split('=') for e in extra)
            write(out, f'variant-{variant}{"".join("-" + e.split("=")[0][4:].lower() for e in extra)}', text,
                  [f'DEF_VARIANT={variant}'] + [f'{k}={v}' for k, v in flags.items()])


# --- DarkPlaces -------------------------------------------------------------------------------------------------------

WORLD = [[], ['VERTEXTEXTUREBLEND'], ['GLOW'], ['COLORMAPPING'], ['FOGINSIDE'], ['FOGOUTSIDE', 'GLOW'], ['OFFSETMAPPING'],
         ['ALPHAKILL'], ['REFLECTCUBE'], ['REFLECTION'], ['COLORMAPPING', 'GLOW', 'FOGINSIDE'], ['VIEWTINT', 'SATURATION']]
SHADOW = ['SHADOWMAP2D', 'SHADOWMAPORTHO']
DARKPLACES = {
    'GENERIC': [['DIFFUSE'], ['DIFFUSE', 'SPECULAR'], ['DIFFUSE', 'GLOW', 'VIEWTINT'], ['DIFFUSE', 'GAMMARAMPS']],
    'POSTPROCESS': [[], ['BLOOM'], ['BLOOM', 'VIEWTINT', 'GAMMARAMPS'], ['SATURATION', 'BLOOM']],
    'BLOOMBLUR': [[]], 'REFRACTION': [[], ['ALPHAGENVERTEX'], ['NORMALMAPSCROLLBLEND']],
    'WATER': [[], ['NORMALMAPSCROLLBLEND'], ['ALPHAGENVERTEX']],
    'DEPTH_OR_SHADOW': [[], ['DEPTHRGB']], 'FLATCOLOR': WORLD[:5], 'VERTEXCOLOR': WORLD[:6], 'LIGHTMAP': WORLD,
    'FAKELIGHT': [w + s for w in WORLD[:7] for s in ([], ['DIFFUSE', 'SPECULAR'])],
    'LIGHTDIRECTION': [w + s for w in WORLD for s in ([], ['DIFFUSE'], ['DIFFUSE', 'SPECULAR'])] +
    [SHADOW, SHADOW + ['DIFFUSE', 'SPECULAR']],
    'LIGHTDIRECTIONMAP_MODELSPACE': [w + s for w in WORLD[:8] for s in ([], ['DIFFUSE', 'SPECULAR'])],
    'LIGHTDIRECTIONMAP_TANGENTSPACE': [w + s for w in WORLD[:8] for s in ([], ['DIFFUSE', 'SPECULAR'])],
    'LIGHTDIRECTIONMAP_FORCED_LIGHTMAP': WORLD[:4],
    'LIGHTSOURCE': [w + s for w in WORLD[:8]
                    for s in (['DIFFUSE'], ['DIFFUSE', 'SPECULAR'], ['DIFFUSE', 'SPECULAR', 'CUBEFILTER'])] +
                   [SHADOW[:1] + ['DIFFUSE', 'SPECULAR'], SHADOW[:1] + ['DIFFUSE', 'CUBEFILTER']],
}


def darkplaces(packages, out):
    text = read_package('darkplaces', packages, r'shader_glsl\.h$').popitem()[1]
    source = '\n'.join(s.encode().decode('unicode_escape') for s in re.findall(r'^"((?:[^"\\]|\\.)*)",?', text, re.M))
    for mode, lists in DARKPLACES.items():
        for number, features in enumerate(lists):
            defines = ['FRAGMENT_SHADER', 'GLSL120', f'MODE_{mode}', 'USESHADOWSAMPLER'] + ['USE' + f for f in features]
            write(out, f'{mode.lower()}-{number}', source, [d if '=' in d else d + '=' for d in defines], es=False)


# --- packages that the compiler was not tuned on ----------------------------------------------------------------------

BINARY = {'kodi-data', 'openmw-data', 'libmovit8', 'supertux-data', 'python3-vispy'}
SURFACE = ['diffuseMap', 'adjustedDiffuseUV', 'lightingMethodFFP', 'clamp', 'alphaFunc 516']
MINETEST = ['MATERIAL_TYPE 2', 'TILE_MATERIAL_BASIC 0', 'TILE_MATERIAL_WAVING_LEAVES 2', 'TILE_MATERIAL_WAVING_PLANTS 3',
            'TILE_MATERIAL_WAVING_LIQUID_BASIC 5', 'TILE_MATERIAL_WAVING_LIQUID_TRANSPARENT 6',
            'TILE_MATERIAL_WAVING_LIQUID_OPAQUE 7', 'TILE_MATERIAL_LIQUID_TRANSPARENT 8', 'ENABLE_WAVING_WATER 1']
SHADOWS = ['ENABLE_DYNAMIC_SHADOWS', 'SHADOW_FILTER 1', 'SOFTSHADOWRADIUS 2.0', 'SHADOWFRUSTUM 1.0']
# package: (files, lines before them, lists of features)
FILES = {
    'kodi-data': (r'/GLES/2\.0/.*\.frag$|/GL/1\.2/.*frag.*\.glsl$', '',
                  [[], ['XBMC_YV12'], ['XBMC_NV12', 'XBMC_COL_CONVERSION'], ['XBMC_VIDEO_LEVELS', 'HAS_FLOAT_TEXTURE 1']]),
    'meshlab': (r'\.frag$', '', [[]]),
    'mesa-demos': (r'/src/glsl/.*\.frag$', '', [[]]),
    'kwin': (r'/shaders/.*\.frag$', '', [[]]),
    'pymol': (r'/data/shaders/.*\.fs$', '', [[], ['ortho'], ['PYMOL_WEBGL'], ['ray_trace_mode_3', 'volume_mode']]),
    'supertux-data': (r'shader100\.frag$', '', [[]]),
    'python3-vispy': (r'\.frag$', '', [[]]),
    'luanti': (r'/client/shaders/.*fragment\.glsl$', '#define lowp\n#define mediump\n#define highp\n#define centroid\n',
               [MINETEST + f for f in ([], ['ENABLE_TONE_MAPPING 1', 'ENABLE_BLOOM'], ['USE_DISCARD'], SHADOWS,
                                       SHADOWS + ['COLORED_SHADOWS'], SHADOWS + ['POISSON_FILTER'],
                                       ['ENABLE_AUTO_EXPOSURE', 'ENABLE_DITHERING'], ['ENABLE_SSAA', 'SSAA_SCALE 2'])]),
    'openmw-data': (r'shaders/.*fragment\.glsl$', '',
                    [SURFACE + f for f in (
                        [], ['forcePPL'], ['normalMap'], ['normalMap', 'forcePPL', 'parallax'], ['detailMap'], ['darkMap'],
                        ['decalMap', 'emissiveMap'], ['specularMap', 'forcePPL'], ['envMap'], ['blendMap', 'normalMap'],
                        ['envMap', 'preLightEnv', 'bumpMap'], ['radialFog', 'blendMap'],
                        ['normalMap', 'specularMap', 'forcePPL', 'radialFog'])]),
    'libmovit8': (r'_(effect|input)\.frag$', 'varying vec2 tc;\nuniform sampler2D from, other;\n#define tex2D texture2D\n'
                  'vec4 INPUT(vec2 tc) { return texture2D(from, tc); }\nvec4 INPUT2(vec2 tc) { return texture2D(other, tc); }\n',
                  [['PREFIX(x)=x', 'INPUT1=INPUT', 'NUM_TAPS 8', 'DIRECTION_VERTICAL ' + str(n), 'FFT_SIZE 8', 'R 2', 'SLICE 4',
                    'HAS_TEXTURE_1D_SAMPLERS 0'] for n in (0, 1)]),
}


def with_features(text, features, files):
    """Includes and OpenMW's names of features are replaced."""
    include = r'^\s*#include "?([^"\n]*)"?'
    while re.search(include, text, re.M):
        text = re.sub(include, lambda m: files.get(os.path.basename(m[1]), ''), text, flags=re.M)
    text = re.sub(r'@foreach[\s\S]*?@endforeach', '', text).replace('@getLight', 'gl_LightSource').replace('@maxLights', '8')
    given = dict((f + ' 1').split(' ')[:2] for f in features)
    return re.sub(r'@(\w+)', lambda m: given.get(m[1], '0'), text)


def plain_files(name, packages, out):
    pattern, head, lists = FILES[name]
    every = read_package(name, packages, r'\.(frag|fs|glsl)$')
    files, seen = {os.path.basename(path): text for path, text in every.items()}, set()
    for path in (p for p in every if re.search(pattern, p) and re.search(r'\bmain\b|FUNCNAME', every[p])
                 and not re.search(r'#version (1[3-9]|[2-9])', every[p])):
        for number, features in enumerate(lists):
            text = with_features(head + every[path], features, files)
            text = re.sub(r'^// (uniform .*;)', r'\1', text, flags=re.M)  # Movit's
            if 'main' not in text:
                text += '\nvoid main() { gl_FragColor = FUNCNAME(tc); }\n'
            defines = [] if '@' in every[path] else [f if '=' in f else f.replace(' ', '=') for f in features]
            es = bool(re.search(r'^\s*precision ', every[path], re.M))
            source = preprocess(text, defines, es)
            if source not in seen:
                seen.add(source)
                write(out, f'{os.path.basename(os.path.dirname(path))}-{stem(path)}-{number}', source, es=es)


def gstreamer(packages, out):
    text = read_package('gst-plugins-base1.0', packages, r'effects/gstgleffectssources\.c$').popitem()[1]
    text = re.sub(r'/\*[\s\S]*?\*/', '', text)
    for name, body in re.findall(r'gchar \*(\w+) =\s*((?:\s*"(?:[^"\\]|\\.)*")+)', text):
        source = ''.join(s.encode().decode('unicode_escape') for s in re.findall(r'"((?:[^"\\]|\\.)*)"', body))
        es = 'gl_TexCoord' not in source
        write(out, name, 'precision mediump float;\n' * es + source, es=es)


HELD_OUT = {name: functools.partial(plain_files, name) for name in FILES}
HELD_OUT['gst-plugins-base1.0'] = gstreamer

EXTRACTORS = {'three': three_all, 'gl-transitions': gl_transitions, 'pixi-filters': pixi_filters, 'mapbox-gl': mapbox_gl,
              'phaser-ce': phaser_ce, 'gtk4': gtk4, 'weston': weston, 'darkplaces': darkplaces}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--packages', default='packages', help='where downloaded packages are kept')
    parser.add_argument('--held-out', action='store_true', help='packages that the compiler was not tuned on')
    parser.add_argument('out')
    args = parser.parse_args()
    os.makedirs(args.packages, exist_ok=True)
    status = 0
    for name, extract in (HELD_OUT if args.held_out else EXTRACTORS).items():
        try:
            extract(args.packages, os.path.join(args.out, name))
        except (Missing, OSError, tarfile.TarError) as e:
            print(f'{name}: {e}', file=sys.stderr)
            status = 1
    return status


if __name__ == '__main__':
    sys.exit(main())
