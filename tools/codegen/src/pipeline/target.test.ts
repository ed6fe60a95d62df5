import { describe, expect, it } from 'vitest'
import { folder, packages } from './target.js'

const zod = { name: 'zod', into: 'packages/zod/src/generated' }

describe('in this repository', () => {
  it('outputs are folders of packages', () => {
    expect(packages.directory(zod)).toBe('packages/zod/src/generated')
  })

  it.each([
    ['#types', '@farebox/types'],
    ['#client/operations', '@farebox/client/operations'],
    ['#zod', './index.js'],
    ['#zod/operations', './operations.js'],
    ['zod', 'zod'],
    ['./checks.js', './checks.js'],
  ])('%s is imported as %s', (module, specifier) => {
    expect(packages.specifier(zod, 'index.ts', module)).toBe(specifier)
  })

  it('two outputs of one package import each other by path', () => {
    const paths = { name: 'paths', into: 'packages/types/src/paths/generated' }
    expect(packages.specifier(paths, 'index.ts', '#types')).toBe('../../generated/index.js')
    expect(packages.specifier(paths, 'parts/one.ts', '#types')).toBe('../../../generated/index.js')
  })
})

describe('in a folder', () => {
  const out = folder('src/api', 'farebox-codegen --spec a.yaml --out src/api')

  it('outputs stand side by side', () => {
    expect(out.directory(zod)).toBe('src/api/zod')
  })

  it.each([
    ['index.ts', '#types', '../types/index.js'],
    ['index.ts', '#client/operations', '../client/operations.js'],
    ['parts/one.ts', '#types', '../../types/index.js'],
    ['parts/one.ts', '#zod', '../index.js'],
    ['index.ts', '#zod/operations', './operations.js'],
    ['index.ts', 'openapi-fetch', 'openapi-fetch'],
  ])('%s imports %s as %s', (from, module, specifier) => {
    expect(out.specifier(zod, from, module)).toBe(specifier)
  })
})
