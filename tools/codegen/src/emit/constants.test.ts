import { describe, expect, it } from 'vitest'
import { code, type Code } from './code.js'
import { createDeclare, createSharing, exportConstants, type Sharing } from './constants.js'

it('a few constants are exported directly', () => {
  const { declare, rest } = exportConstants(['a', 'b'])
  const [name, comment] = ['a', code`/** One. */\n`]
  expect(declare({ name, value: code`1`, type: code`number`, comment }).text).toBe(
    '/** One. */\nexport const a: number = 1',
  )
  expect(rest()).toEqual([])
})

it('many are each created by a function with a unique name, and exported together', () => {
  const many = Array.from({ length: 200 }, (_, index) => `b${index}`)
  const names = ['a', '$a', ...many]
  const { declare, rest } = exportConstants(names)
  const value = code`1`
  const [first, second] = names.map((name) =>
    declare({ name, value, type: code`number`, comment: code`/** ${name}. */\n` }),
  )
  expect(first?.text).toBe('function $a2(): number {\n  return 1\n}')
  expect(second?.text).toBe('function $$a(): number {\n  return 1\n}')
  const [some, others] = rest().map(({ text }) => text.split('\n'))
  expect(some?.slice(0, 4)).toEqual([
    '/** a. */',
    'export const a: number = /* @__PURE__ */ $a2(),',
    '  /** $a. */',
    '  $a: number = /* @__PURE__ */ $$a(),',
  ])
  expect(some?.at(-1)).toBe('  b197: number = /* @__PURE__ */ $b197()')
  expect(others?.[1]).toBe('export const b198: number = /* @__PURE__ */ $b198(),')
})

it('a constant that a bundler may drop is declared once', () => {
  expect(createDeclare(['a'])('a', code`z.string()`).text).toBe(
    'const a = /* @__PURE__ */ z.string()',
  )
  expect(createDeclare(['a'])('a', code`z.array(z.string())`).text).toBe(
    'const a = /* @__PURE__ */ (() => z.array(z.string()))()',
  )
  expect(createDeclare(['a'])('a', code`{ b: 1 }`).text).toBe(
    'const a = /* @__PURE__ */ (() => ({ b: 1 }))()',
  )
  expect(
    createDeclare(Array.from({ length: 200 }, (_, index) => `a${index}`))('a1', code`1`).text,
  ).toBe('const a1 = /* @__PURE__ */ $a1()\n\nfunction $a1() {\n  return 1\n}')
})

const long = 'word '.repeat(150)
const words = { z: '', exactOptional: 'optional' }

/** What a file of these values says. */
function printFile(
  values: (mark: Sharing['mark']) => Readonly<Record<string, Code>>,
): readonly string[] {
  const { mark, statements } = createSharing()
  const stated = Object.entries(values(mark)).map(([name, value]) => ({
    name,
    value,
    declare: (whole: Code) => code`export const ${name} = ${whole}`,
  }))
  const all = statements(stated, {
    declare: (name, value) => code`const ${name} = ${value}`,
    words,
  })
  return Array.from(all, ({ text }) => text)
}

describe('an expression', () => {
  it('that is repeated is declared once, before its first use', () => {
    const part = code`z.exactOptional('${long}')`
    expect(
      printFile((mark) => ({
        a: code`1`,
        b: code`[${mark(part)}]`,
        c: code`{ d: ${mark(part)}, e: ${mark(part)} }`,
      })),
    ).toEqual([
      'export const a = 1',
      `const _optionalWord = z.exactOptional('${long}')`,
      'export const b = [_optionalWord]',
      'export const c = { d: _optionalWord, e: _optionalWord }',
    ])
  })

  it('uses its given name, or else one from its own words', () => {
    const part = code`z.exactOptional('${long}')`
    const whole = (mark: Sharing['mark']) => mark(part, undefined, 'limit parameter')
    expect(printFile((mark) => ({ a: whole(mark), b: whole(mark) }))[0]).toBe(
      `const _limitParameter = z.exactOptional('${long}')`,
    )
  })

  it('stays inline if a constant would save almost nothing', () => {
    const part = code`z.string()`
    expect(printFile((mark) => ({ a: mark(part), b: mark(part), c: mark(part) }))).toEqual([
      'export const a = z.string()',
      'export const b = z.string()',
      'export const c = z.string()',
    ])
  })

  it('that contains another twice, recursively, takes one line per distinct expression', () => {
    const text = printFile((mark) => {
      let part = mark(code`z.a()`)
      for (let level = 0; level < 60; level++) part = mark(code`z.f(${part}, ${part})`)
      return { a: part }
    })
    expect(text.length).toBeLessThan(61)
    expect(text.join('\n').length).toBeLessThan(10_000)
  })

  it('that only occurs within a shared one is not shared', () => {
    const whole = (mark: Sharing['mark']) => mark(code`f(${mark(code`g('${long}')`)}, '${long}')`)
    const [shared, ...rest] = printFile((mark) => ({
      a: whole(mark),
      b: whole(mark),
      c: whole(mark),
    }))
    expect(shared).toContain(` = f(g('${long}'), '${long}')`)
    expect(rest).toHaveLength(3)
  })

  it('has a unique name', () => {
    const part = code`z.exactOptional('${long}')`
    expect(
      printFile((mark) => ({
        _optionalWord: code`1`,
        b: mark(part),
        c: mark(part),
        d: mark(part),
      })).at(-1),
    ).toBe('export const d = _optionalWord2')
  })

  it('has a readable name: each word once, in camel case, numbered in order', () => {
    const key = code`{ name: 'Idempotency-Key', field: 'idempotencyKey', in: 'header', note: '${long}' }`
    const signIn = [1, 2].map(
      (number) => code`{ name: 'SIGN-IN-WITH-X', in: 'header', note: '${long}${number}' }`,
    )
    const names = (mark: Sharing['mark']) => {
      const all = [key, ...signIn].map((part) => mark(part))
      return {
        a: code`[${all[0]}, ${all[1]}, ${all[2]}]`,
        b: code`[${all[0]}, ${all[1]}, ${all[2]}]`,
      }
    }
    expect(printFile(names).at(-1)).toBe(
      'export const b = [_nameIdempotencyKeyField, _nameSignInWith, _nameSignInWith2]',
    )
  })

  it('of several lines is indented like its first line', () => {
    expect(printFile((mark) => ({ a: code`{\n  b: ${mark(code`{\n  c: 1,\n}`)},\n}` }))).toEqual([
      'export const a = {\n  b: {\n    c: 1,\n  },\n}',
    ])
  })

  it('has a type annotation', () => {
    const { mark, statements } = createSharing()
    const part = () => mark(code`['${long}']`, code`readonly string[]`)
    const stated = ['a', 'b', 'c'].map((name) => ({
      name,
      value: part(),
      declare: (value: Code) => code`${name} = ${value}`,
    }))
    const [shared] = statements(stated, { declare: (_, value, type) => code`${type}: ${value}` })
    expect(shared?.text).toBe(`readonly string[]: ['${long}']`)
  })
})
