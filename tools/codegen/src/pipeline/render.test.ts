import { describe, expect, it } from 'vitest'
import { findSyntaxFault } from './render.js'

describe('findSyntaxFault', () => {
  it.each([
    ['a string as a value', "export const source = 'NONE' as const\n"],
    ['a string that speaks of imports', 'export const text = "import { a } from \'b\'" as const\n'],
    [
      'imports and exports',
      "import * as a from 'a'\nimport 'b'\nexport * from '../c.js'\nexport {\n  d,\n} from '../d.js'\n",
    ],
    ['types', "import type { A } from 'a'\nexport type B = 'NONE'\n"],
    ['a comment', "/* import 'a' */\nexport const b = 1\n"],
  ])('accepts %s', async (_, text) => {
    expect(await findSyntaxFault('a.ts', text)).toBeUndefined()
  })

  it.each([
    ['an import within a line', "const a = 1; import 'b'\n", 'an unexpected import: b'],
    ['an export within a line', "const a = 1; export * from 'b'\n", 'an unexpected import: b'],
    ['a call', 'const a = 1; globalThis.b()\n', 'an unexpected statement: globalThis.b();'],
    [
      'a declaration within a line',
      'const a = 1; const b = 2\n',
      'an unexpected statement: const b',
    ],
    ['what is no TypeScript', 'const a = )\n', 'Unexpected token'],
  ])('rejects %s', async (_, text, message) => {
    expect(await findSyntaxFault('a.ts', text)).toEqual({
      line: 1,
      message: expect.stringContaining(message),
    })
  })
})
