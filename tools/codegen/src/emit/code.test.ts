import { describe, expect, it } from 'vitest'
import {
  code,
  join,
  namespace,
  nothing,
  renderFile,
  sourceFile,
  symbol,
  when,
  type Code,
} from './code.js'

const options = {
  banner: '// banner',
  resolve: (module: string) => (module === '#types' ? '@x/types' : module),
}

const render = (...body: readonly Code[]) => renderFile(sourceFile('x.ts', body), options)

describe('code', () => {
  it('omits undefined and false, and keeps 0 and empty strings', () => {
    expect(code`a${undefined}b${false}c${0}d${''}e`.text).toBe('abc0de')
    expect(join(['a', undefined, false, code`b`, 1], ', ').text).toBe('a, b, 1')
    expect([when(true, 'x').text, when(false, 'x')]).toEqual(['x', nothing])
  })

  it('carries the imports of its parts', () => {
    const z = symbol('z', 'zod')
    expect(
      code`${join([z, code`${symbol('a', './a.js')}`], ', ')}`.imports.map(({ module }) => module),
    ).toEqual(['zod', './a.js'])
  })
})

describe('renderFile', () => {
  it('is the banner, the imports and the parts, with a line between and one at the end', () => {
    expect(render(code`const a = ${symbol('z', 'zod')}\n\n`, nothing, code`const b = 1`)).toBe(
      "// banner\n\nimport { z } from 'zod'\n\nconst a = z\n\nconst b = 1\n",
    )
    expect(render(code`const b = 1`)).toBe('// banner\n\nconst b = 1\n')
  })

  it('merges imports of a module, and sorts modules and names', () => {
    expect(
      render(
        code`${symbol('b', './b.js')}${symbol('c', './a.js')}${symbol('a', './b.js')}${symbol('B', './b.js')}${symbol('a', './b.js')}`,
      ),
    ).toContain("import { c } from './a.js'\nimport { B, a, b } from './b.js'\n")
  })

  it('sorts by the emitted specifier, not by the logical name', () => {
    expect(render(code`${symbol('T', '#types')}${symbol('z', '@a/z')}`)).toContain(
      "import { z } from '@a/z'\nimport { T } from '@x/types'\n",
    )
  })

  it('imports types as types, and a name as a value when any use needs the value', () => {
    const type = (name: string) => symbol(name, './a.js', { typeOnly: true })
    expect(render(code`${type('A')}${type('B')}`)).toContain("import type { A, B } from './a.js'")
    expect(render(code`${type('A')}${symbol('b', './a.js')}`)).toContain(
      "import { type A, b } from './a.js'",
    )
    expect(render(code`${type('A')}${symbol('A', './a.js')}${type('A')}`)).toContain(
      "import { A } from './a.js'",
    )
  })

  it('renames, and imports a whole module next to single names', () => {
    expect(render(code`${symbol('a', './a.js', { as: 'b' })}`)).toContain(
      "import { a as b } from './a.js'",
    )
    expect(
      render(code`${namespace('all', './a.js', { typeOnly: true })}${symbol('a', './a.js')}`),
    ).toContain("import type * as all from './a.js'\nimport { a } from './a.js'")
  })

  it('rejects one local name for two things', () => {
    expect(() => render(code`${symbol('a', './a.js')}${symbol('a', './b.js')}`)).toThrow(
      new Error(
        'x.ts: the name a is imported from ./a.js as a and from ./b.js as a. Give one of the two another local name.',
      ),
    )
    expect(() =>
      render(code`${symbol('a', './a.js')}${symbol('b', './a.js', { as: 'a' })}`),
    ).toThrow('from ./a.js as b')
  })
})
