import { parse } from 'yaml'
import { describe, expect, it } from 'vitest'
import type { Node } from '../../test/edits.js'
import { base, compareBoth, editBase, read, write } from '../../test/read-both.js'

describe('a version next to a known one', () => {
  it('has the locations of shared parts in its own file', async () => {
    const older = write(parse(base) as Node)
    const newer = editBase((d) => {
      d['info'].description = 'Two\nlines'
      d['paths']['/trams'].post.responses['200'].content['application/json'].schema = {
        $ref: '#/components/schemas/Depot',
      }
    })
    const [apart, together] = await compareBoth(older, newer)
    expect(together).toBe(apart)
    expect(together).toContain('"file":"older.json"')
    expect(together).toContain('"file":"newer.json"')
  })

  it('shares equal parts, except those that refer to a change', async () => {
    const translations = {}
    const before = await read('older.json', write(parse(base) as Node), translations)
    const newer = editBase(
      (d) => void (d['components'].schemas.Depot.properties.name.minLength = 2),
    )
    const after = await read('newer.json', newer, translations)
    const shared = after.api.operations.filter((one) => before.api.operations.includes(one))
    expect(shared.map(({ id }) => id)).toEqual(['scrapTrams'])
  })

  it('shares the parts of a schema that differs, unless they refer to a change', async () => {
    const older = editBase((d) => {
      d['components'].schemas.NewTram.properties.depots = {
        type: 'array',
        items: { $ref: '#/components/schemas/Depot' },
      }
    })
    const newer = editBase((d) => {
      d['components'].schemas.Depot.properties.name.minLength = 2
      d['components'].schemas.NewTram.properties.line.maximum = 9
    }, older)
    const translations = {}
    const [before, after] = [
      await read('older.json', older, translations),
      await read('newer.json', newer, translations),
    ].map(({ api }) => api.schemas.find(({ name }) => name === 'NewTram')?.schema)
    if (before?.kind !== 'object' || after?.kind !== 'object') throw new Error('no objects')
    const shared = after.properties.filter(({ schema }) =>
      before.properties.some((one) => one.schema === schema),
    )
    expect(shared.map(({ name }) => name)).toEqual(['wagons', 'mode', 'extra', 'closed'])
  })

  it('shares no operation when what secures all of them differs', async () => {
    const translations = {}
    await read('older.json', write(parse(base) as Node), translations)
    const after = await read(
      'newer.json',
      editBase((d) => void (d['security'] = [])),
      translations,
    )
    const scrap = after.api.operations.find(({ id }) => id === 'scrapTrams')
    expect(scrap?.security).toEqual([[]])
  })
})
