import { describe, expect, it } from 'vitest'
import { checkSyntax, RenderError } from './check-syntax.js'

describe('checkSyntax', () => {
  it.each([
    ['a text as a value', "export const source = 'NONE' as const\n"],
    ['a text that speaks of imports', 'export const text = "import { a } from \'b\'" as const\n'],
    ['imports and exports', "import * as a from 'a'\nimport 'b'\nexport * from '../c.js'\nexport {\n  d,\n} from '../d.js'\n"],
    ['types', "import type { A } from 'a'\nexport type B = 'NONE'\n"],
    ['a comment', "/* import 'a' */\nexport const b = 1\n"],
  ])('takes %s', async (_, text) => {
    await expect(checkSyntax('a.ts', text)).resolves.toBeUndefined()
  })

  it.each([
    ['an import within a line', "const a = 1; import 'b'\n", 'an import that was not meant: b'],
    ['an export within a line', "const a = 1; export * from 'b'\n", 'an import that was not meant: b'],
    ['a call', 'const a = 1; globalThis.b()\n', 'a statement that was not meant: globalThis.b();'],
    ['a declaration within a line', 'const a = 1; const b = 2\n', 'a statement that was not meant: const b'],
    ['what is no TypeScript', 'const a = )\n', 'Unexpected token'],
  ])('refuses %s', async (_, text, message) => {
    const refused = checkSyntax('a.ts', text)
    await expect(refused).rejects.toThrow(RenderError)
    await expect(refused).rejects.toThrow(`The output a.ts is not valid TypeScript at line 1: ${message}`)
  })
})
