# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""Rules of algebra for nir_algebraic.py: operations that the chip lacks become ones that it has."""

import argparse
import sys

A, B = 'a', 'b'


def quotient(nudge):
    """
    trunc(a * (1/b)).  The reciprocal may be a little too small, and 6/3 would give 1; a relative nudge above the error of the
    multiplication repairs that.  It cannot carry a true fraction over the next integer as long as |a| is below the inverse of
    the nudge.
    """
    product = ('fmul', ('i2f32', A), ('frcp', ('i2f32', B)))
    return ('f2i32', ('ftrunc', ('fmul', product, 1.0 + nudge)))


def quotient_of_constant(nudge):
    """
    The same with a nudge in the constant itself.  It is there for the rounding of the reciprocal alone: where the product is
    at least an integer, so is what it is rounded to.
    """
    return ('f2i32', ('ftrunc', ('fmul', ('i2f32', A), ('fmul', ('frcp', ('i2f32', B)), 1.0 + nudge))))


def rules(b, quotients, condition):
    """Quotients and remainders of integers that are going to be floats of the same value."""
    remainder = ('isub', A, ('imul', B, quotients))
    # the remainder takes the sign of the divisor
    modulo = ('bcsel', ('ilt', ('imul', remainder, B), 0), ('iadd', remainder, B), remainder)
    return [((op, 'a@32', b), result, condition)
            for op, result in (('idiv', quotients), ('udiv', quotients), ('irem', remainder), ('umod', remainder),
                               ('imod', modulo))]


def integer_division(bits, condition):
    """
    bits: of the significand, without the leading one.  Powers of two have exact reciprocals and products.  Other constants are
    rounded by half a unit of the last place, 2^-(bits + 1) at most, so that dividends up to about 3/4 of 2^bits are right.
    Reciprocals of variables and two products have more errors.
    """
    return (rules('#b(is_pos_power_of_two)', quotient_of_constant(0), condition) +
            rules('#b', quotient_of_constant(1.1 / 2 ** (bits + 1)), condition) +
            rules('b@32', quotient(4 / 2 ** bits), condition))


# fp20 and the vertex processor's fp32, whose reciprocal is less exact
lower_integer_division = integer_division(13, 'fragment') + integer_division(21, '!fragment')

# The vertex processor has floor and sign, and no comparison of vectors (vertex-pipeline.md 11.1).
lower_vertex = [(('ftrunc', A), ('fmul', ('ffloor', ('fabs', A)), ('fsign', A)))]
for n in (3, 4):
    differs = ('sne', A, B)
    any_differs = ('fsat', (f'fdot{n}', differs, differs))
    lower_vertex += [((f'fany_nequal{n}', A, B), any_differs), ((f'fall_equal{n}', A, B), ('seq', any_differs, 0.0))]

# A sign of an integer becomes one of the float of the same value: so a rule for two signs in a row applies.
move_signs = [(('i2f32', ('ineg', A)), ('fneg', ('i2f32', A))), (('i2f32', ('iabs', A)), ('fabs', ('i2f32', A)))]


def compare_unrounded():
    """
    Comparisons of rounded numbers with constants, as x < 3 for int(x) < 3: rounding costs four operations and a special
    function.  Indices are mostly compared only, by the selections that elements of arrays become.  floor() rounds down, and so
    does trunc() from 0 on; below it rounds up.  And 22 / 255 is what 22 is compared with after a multiplication by 255: there
    is no rounding between that and the comparison.
    """
    n, least, most = '#n', ('fceil', 'n'), ('ffloor', 'n')
    result = [((op, ('fmul', A, '#b(is_gt_zero)'), n), (op, A, ('fdiv', 'n', B))) for op in ('feq', 'fneu')]
    for op, opposite in (('flt', 'fge'), ('fge', 'flt')):
        for x, positive, not_negative in ((('ffloor', A), n, n), (('ftrunc', A), '#n(is_gt_zero)', '#n(is_not_negative)')):
            result += [((op, x, positive), (op, A, least)), ((op, not_negative, x), (opposite, A, ('fadd', most, 1.0))),
                       ((op, ('fadd', x, '#b'), n), (op, x, ('fsub', 'n', B))),
                       ((op, n, ('fadd', x, '#b')), (op, ('fsub', 'n', B), x))]
        x = ('ftrunc', A)
        result += [((op, x, '#n(is_not_positive)'), (opposite, ('fsub', least, 1.0), A)),
                   ((op, '#n(is_lt_zero)', x), (op, most, A))]
    return result


def same_code():
    """
    One form for what can be written in several ways.  Factors that are powers of two change no rounding; what does ("~") leaves
    invariant results alone.
    """
    opposite = {'flt': 'fge', 'fge': 'flt'}
    blend = ('ffma', -2.0, A, 3.0)  # of smoothstep()
    scaled = ('fmul(is_used_once)', 'a(tegra20_is_vector)', 'b(tegra20_is_scalar)')
    result = [(('fadd', A, ('fneg', ('ffloor', A))), ('ffract', A)),
              (('fadd', ('ffloor', A), ('fneg', A)), ('fneg', ('ffract', A))),
              (('fneg', ('fadd', A, ('fneg', B))), ('fadd', B, ('fneg', A))),
              (('fneg', ('fmul', ('fadd(is_used_once)', A, ('fneg', B)), 'c')), ('fmul', ('fadd', B, ('fneg', A)), 'c')),
              (('fmul', ('fadd(is_used_once)', A, ('fneg', B)), ('fneg', 'c')), ('fmul', ('fadd', B, ('fneg', A)), 'c')),
              (('~fexp2', ('fneg', ('flog2', A))), ('frcp', A)),
              (('~fexp2', ('fmul', ('flog2', A), -0.5)), ('frsq', A)),
              (('~fexp2', ('fmul', ('flog2', A), -2.0)), ('frcp', ('fmul', A, A))),
              (('~fexp2', ('fmul', ('flog2', A), 1.5)), ('fmul', A, ('fsqrt', A))),
              (('~fmul', A, ('fmul', A, blend)), ('fmul', ('fmul', A, A), blend)),
              (('~fmul', scaled, 'c(tegra20_is_scalar)'), ('fmul', A, ('fmul', B, 'c'))),
              (('~ffma', scaled, 'c(tegra20_is_scalar)', 'd'), ('ffma', A, ('fmul', B, 'c'), 'd'))]
    result += [(('fadd', 1.0, ('fneg', ('b2f32', (op, A, B)))), ('b2f32', (opposite[op], A, B))) for op in opposite]
    for op, other in (('fmin', 'fmax'), ('fmax', 'fmin')):
        result += [((op, ('fneg', A), ('fneg', B)), ('fneg', (other, A, B))),
                   (('fneg', (op, ('fneg', A), '#b')), (other, A, ('fneg', B)))]
    for n in (2.0 ** e for e in range(-8, 9) if e):
        result += [(('ffma', -n, ('ffloor', ('fmul', A, 1 / n)), A), ('fmul', n, ('ffract', ('fmul', A, 1 / n)))),
                   (('fmul', ('fadd(is_used_once)', A, '#b'), n), ('fadd', ('fmul', A, n), ('fmul', B, n)))]
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('-p', '--import-path', required=True, help='the directory of nir_algebraic.py')
    parser.add_argument('output')
    args = parser.parse_args()
    sys.path.insert(0, args.import_path)
    import nir_algebraic  # pylint: disable=import-error,import-outside-toplevel

    with open(args.output, 'w', encoding='utf-8') as file:
        file.write('#include "tegra20_nir.h"\n')
        # the one with conditions last: nir_algebraic gives all passes those that it has met
        file.write(nir_algebraic.AlgebraicPass('tegra20_lower_vertex_alu', lower_vertex).render())
        file.write(nir_algebraic.AlgebraicPass('tegra20_move_signs', move_signs).render())
        file.write(nir_algebraic.AlgebraicPass('tegra20_compare_unrounded', compare_unrounded()).render())
        file.write(nir_algebraic.AlgebraicPass('tegra20_same_code', same_code()).render())
        file.write(nir_algebraic.AlgebraicPass('tegra20_lower_integer_division', lower_integer_division,
                                               [('bool', 'fragment')]).render())


if __name__ == '__main__':
    main()
