/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Defaults of Mesa's options.  glCopyTexImage from framebuffers with samples:
 * EXT_multisampled_render_to_texture allows it, as glCopyTexSubImage, but
 * Mesa 25.0 asks for the option.
 */

DRI_CONF_SECTION_MISCELLANEOUS
DRI_CONF_ALLOW_MULTISAMPLED_COPYTEXIMAGE(true)
DRI_CONF_SECTION_END
