import { beforeAll, describe, expect, it } from 'vitest'
import { buildSmallApi } from '../../test/small-api.js'
import type { Api } from '../ir/api.js'
import { renderFile } from '../emit/code.js'
import { types } from './types.js'

let api: Api
const files = new Map<string, string>()

function render(): ReadonlyMap<string, string> {
  return new Map(
    types
      .emit(api)
      .map((file) => [
        file.path,
        renderFile(file, { banner: '// banner', resolve: (module) => module }),
      ]),
  )
}

/** The declaration that begins with a string, up to the next empty line. */
function block(path: string, start: string): readonly string[] {
  const found = files
    .get(path)
    ?.split('\n\n')
    .find((part) => part.includes(start))
  return found?.split('\n') ?? []
}

beforeAll(async () => {
  api = await buildSmallApi()
  for (const [path, text] of render()) files.set(path, text)
})

describe('the types output', () => {
  it('is one file with types only', () => {
    expect([...files.keys()]).toEqual(['index.ts'])
    expect([...files.values()].join('\n')).not.toMatch(/^export (?:const|function|class|default)/m)
  })

  it('is the same each time', () => {
    expect([...render()]).toEqual([...files])
  })

  it('declares each schema by name, with its documentation', () => {
    expect(block('index.ts', 'export type Pet =')).toEqual([
      '/** A pet. */',
      'export type Pet = {',
      '  id: string',
      '  /** @default "Rex" */',
      '  name: string',
      '}',
    ])
  })

  it('refers to other schemas by their names', () => {
    expect(block('index.ts', 'export type Form =')).toEqual([
      'export type Form = {',
      '  photo: Blob | Uint8Array',
      '  more?: Bytes[]',
      '  pet?: Pet',
      '}',
    ])
  })
})
