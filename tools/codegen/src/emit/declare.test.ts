import { expect, it } from 'vitest'
import { code } from './code.js'
import { constants, createDeclare } from './declare.js'

it('a few constants are declared as they are', () => {
  expect(constants(['a', 'b'])('a', code`1`, code`number`).text).toBe('const a: number = 1')
})

it('of a large file are each created by a function with a unique name', () => {
  const constant = constants(['a', '$a', ...Array.from({ length: 198 }, (_, index) => `b${index}`)])
  expect(constant('a', code`1`, code`number`).text).toBe(
    'const a: number = /* @__PURE__ */ $a2()\n\nfunction $a2(): number {\n  return 1\n}',
  )
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
