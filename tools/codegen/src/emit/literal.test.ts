import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import type { Json } from '../ir/schema.js'
import { character } from '../../runtime/arbitraries/scalars.js'
import { printData, docComment, literal, property, propertyKey } from './literal.js'

/** Texts that have broken generators. */
const hostile = [
  '*/',
  '/**',
  '*\\/',
  '* /',
  '**/ alert(1) /*',
  '`',
  '${process.exit(1)}',
  "'",
  '"',
  '\\',
  "\\'",
  '\n',
  '\r\n',
  '\u2028',
  '\u2029',
  '\ud800',
  '\udc00x',
  '\0',
  '</script>',
  '<!--',
  '@see */',
  '//',
  '__proto__',
  'constructor',
  'class',
  '',
]

const hostileText = fc.oneof(
  fc.constantFrom(...hostile),
  fc.string({ unit: character }),
  fc.array(fc.constantFrom(...hostile)).map((parts) => parts.join('')),
)

/** JSON as a parser makes it: keys such as `__proto__` are properties of the object itself. */
const anyJson: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constant(null),
    fc.boolean(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    hostileText,
    fc.array(tie('value')),
    fc.array(fc.tuple(hostileText, tie('value'))).map((entries) => Object.fromEntries(entries)),
  ),
})).value

/** The value of an expression, as a module would have it. */
function evaluate(expression: string): unknown {
  // oxlint-disable-next-line typescript/no-implied-eval -- to evaluate is the test
  return new Function(`'use strict'; return (${expression})`)()
}

function parseStatements(text: string): readonly string[] {
  const file = ts.createSourceFile('x.ts', text, ts.ScriptTarget.Latest, false)
  return file.statements.map((statement) => statement.getText(file))
}

describe('literal', () => {
  it.each([
    ['plain', "'plain'"],
    ["it's", '"it\'s"'],
    ['say "x"', '"say \\"x\\""'],
    ['a\\b', '"a\\\\b"'],
    ['a\u2028b', '"a\\u2028b"'],
    ['\ud800', '"\\ud800"'],
    ['${x}`', "'${x}`'"],
    [-0, '-0'],
    [1e21, '1e+21'],
    [null, 'null'],
    [[], '[]'],
    [{}, '{}'],
    [[1, 'a'], "[1, 'a']"],
    [{ a: 1, 'b-c': [true] }, "{ a: 1, 'b-c': [true] }"],
  ])('%j is %s', (value, expected) => {
    expect(literal(value).text).toBe(expected)
  })

  it('a property named __proto__ is a property, not the prototype', () => {
    const value = JSON.parse('{"__proto__":{"a":1}}') as Json
    expect(literal(value).text).toBe('{ ["__proto__"]: { a: 1 } }')
    expect(Object.keys(evaluate(literal(value).text) as object)).toEqual(['__proto__'])
  })

  it('wraps what does not fit on a line, and packs names into as few lines as possible', () => {
    const names = Array.from({ length: 30 }, (_, index) => `name-${index}`)
    expect(literal({ names, flag: true }).text).toBe(
      [
        '{',
        '  names: [',
        "    'name-0', 'name-1', 'name-2', 'name-3', 'name-4', 'name-5', 'name-6', 'name-7', 'name-8', 'name-9', 'name-10',",
        "    'name-11', 'name-12', 'name-13', 'name-14', 'name-15', 'name-16', 'name-17', 'name-18', 'name-19', 'name-20',",
        "    'name-21', 'name-22', 'name-23', 'name-24', 'name-25', 'name-26', 'name-27', 'name-28', 'name-29',",
        '  ],',
        '  flag: true,',
        '}',
      ].join('\n'),
    )
  })

  it('evaluates to exactly the value, for any value', () => {
    fc.assert(
      fc.property(anyJson, (value) => {
        // Not toStrictEqual: a property called constructor leads it astray.
        expect(isDeepStrictEqual(evaluate(literal(value).text), value)).toBe(true)
      }),
    )
  })

  it('is always one expression of printable lines', () => {
    fc.assert(
      fc.property(anyJson, (value) => {
        const { text } = literal(value)
        expect(parseStatements(`x = ${text}`)).toHaveLength(1)
        expect(text).not.toMatch(/[\u2028\u2029\r]|\p{Surrogate}/u)
      }),
    )
  })
})

describe('propertyKey', () => {
  it.each([
    ['plain', 'plain'],
    ['$a_1', '$a_1'],
    ['class', 'class'],
    ['1a', "'1a'"],
    ['a-b', "'a-b'"],
    ['é', "'é'"],
    ['', "''"],
    ['__proto__', '["__proto__"]'],
    ["'", '"\'"'],
  ])('%j is %s', (name, expected) => {
    expect(propertyKey(name).text).toBe(expected)
  })

  it('names exactly that property in an object and in a type', () => {
    fc.assert(
      fc.property(hostileText, (name) => {
        expect(Object.keys(evaluate(`{ ${propertyKey(name).text}: 1 }`) as object)).toEqual([name])
        expect(
          parseStatements(`type T = {\n  readonly ${propertyKey(name).text}?: 1\n}`),
        ).toHaveLength(1)
      }),
    )
  })
})

describe('property', () => {
  it.each([
    ['a', { b: 'c' }, "a: { b: 'c' }"],
    ['toString', 'a', "toString: 'a' as const"],
    ['valueOf', { constructor: ['a'] }, "valueOf: { constructor: ['a'] as const } as const"],
    ['constructor', null, 'constructor: null'],
    ['__proto__', { a: 1 }, '["__proto__"]: { a: 1 } as const'],
  ])('%j of %j keeps its type', (name, value, expected) => {
    expect(property(name, value).text).toBe(expected)
    expect(printData({ [name]: value }).text).toBe(`{ ${expected} }`)
  })
})

describe('docComment', () => {
  it.each([
    [[], ''],
    [[undefined, '', '  '], ''],
    [['One.'], '/** One. */\n'],
    [['One.', undefined, 'Two.'], '/**\n * One.\n * Two.\n */\n'],
    [['a\r\nb\rc\u2028d'], '/**\n * a\n * b\n * c\n * d\n */\n'],
    [['a \n\n  b'], '/**\n * a\n *\n *   b\n */\n'],
    [['ends */ here'], '/** ends *\\/ here */\n'],
  ])('of %j is %j', (lines, expected) => {
    expect(docComment(lines).text).toBe(expected)
  })

  it('has the given indentation', () => {
    expect(docComment(['One.', 'Two.'], '  ').text).toBe('  /**\n   * One.\n   * Two.\n   */\n')
  })

  it('escapes any string so that nothing becomes code', () => {
    fc.assert(
      fc.property(fc.array(hostileText), (lines) => {
        expect(parseStatements(`${docComment(lines).text}const kept = 1`)).toEqual([
          'const kept = 1',
        ])
      }),
    )
  })
})
