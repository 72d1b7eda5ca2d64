# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""The site: ci/docs builds it with Sphinx, as Mesa's documentation is built."""

import os
import re

from docutils import nodes
from sphinx import addnodes
from sphinx.transforms import SphinxTransform

HERE = os.path.dirname(os.path.abspath(__file__))

project = 'Tegra20 driver'
author = 'The Tegra20 driver authors'
project_copyright = '2026, ' + author
with open(os.path.join(HERE, '../meson.build'), encoding='utf-8') as build:
    version = release = re.search(r"^  version : '(.*)',$", build.read(), re.M)[1]

extensions = ['myst_parser']
exclude_patterns = ['results/*']
myst_heading_anchors = 3
# Commands, programs of the chip and tables: no language that is known.
highlight_language = 'none'
html_extra_path = ['fragment-schedule.html']
html_theme = 'furo'
html_title = f'Tegra20 driver {release}'
html_show_sphinx = False


class LinkDocuments(SphinxTransform):
    """Names of documents, which the source has as code so that they can be found with any editor, become links
    with the titles of the documents."""
    default_priority = 5

    def apply(self, **kwargs):
        here = os.path.dirname(self.env.docname)
        for literal in list(self.document.findall(nodes.literal)):
            match = re.fullmatch(r'(docs/)?([\w./-]+)\.(?:md|rst)', literal.astext())
            if not match or isinstance(literal.parent, nodes.reference):
                continue
            name = match[2] if match[1] else os.path.normpath(os.path.join(here, match[2]))
            if name in self.env.found_docs and name != self.env.docname:
                link = addnodes.pending_xref('', refdomain='std', reftype='doc', reftarget='/' + name, refexplicit=False,
                                             refdoc=self.env.docname)
                link += nodes.inline('', literal.astext(), classes=['doc'])
                literal.replace_self(link)


def setup(app):
    app.add_transform(LinkDocuments)
    return {'parallel_read_safe': True}
