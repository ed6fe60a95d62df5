import { expect, it } from 'vitest'
import { code } from './code.js'
import { constants } from './made.js'

it('a few constants are declared as they are', () => {
  expect(constants(['a', 'b'])('a', code`1`, code`number`).text).toBe('const a: number = 1')
})

it('of many each is made by a function, whose name no constant has', () => {
  const constant = constants(['a', '$a', ...Array.from({ length: 198 }, (_, index) => `b${index}`)])
  expect(constant('a', code`1`, code`number`).text).toBe(
    'const a: number = /* @__PURE__ */ $a2()\n\nfunction $a2(): number {\n  return 1\n}',
  )
})
