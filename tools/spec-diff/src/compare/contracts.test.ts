import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { edits, type Node } from '../../test/edits.js'
import { createBench, unchanged, formatVerdict, type Bench } from '../../test/verdicts.js'
import { isWhole } from '../../../internal/testing/src/rounds.js'
import { oasdiff } from '../../test/oasdiff.js'
import { gravest, table } from '../../test/table.js'
import { catalogue } from '../change/catalogue.js'
import type { Change } from '../change/change.js'
import { compareApi } from './contracts.js'

let bench: Bench
beforeAll(() => void (bench = createBench()))
afterAll(() => bench.close())

const findEdit = (name: string) => edits[name] ?? unchanged

describe('a diff', () => {
  it('is empty between a document and itself', async () => {
    expect(await bench.diff(unchanged)).toEqual([])
  })

  it('calls a schema renamed if nothing else has its values, or if the document says so', async () => {
    const codes = async (failure: Node, ...more: readonly string[]) => {
      const changes = await bench.diff((document) => {
        edits['a schema is called otherwise']?.(document)
        const { schemas } = document['components']
        for (const name of more) schemas[name] = schemas.Failure
        schemas.Failure = { ...schemas.Failure, ...failure }
      })
      return changes.map(({ code, from, to }) =>
        code === 'schema-renamed' ? `${String(from)} ${String(to)}` : code,
      )
    }
    expect(await codes({})).toEqual(['Fault Failure'])
    expect(await codes({}, 'Other')).toEqual(['schema-added', 'schema-added', 'schema-removed'])
    expect(await codes({ 'x-renamed-from': 'Fault' }, 'Other')).toEqual([
      'Fault Failure',
      'schema-added',
    ])
    expect(await codes({ 'x-renamed-from': 'Unused' })).toEqual(['schema-added', 'schema-removed'])
  })

  it('shows a value that only one version of an unused schema accepts', async () => {
    const setRules = (rules: Node) => (document: Node) =>
      void Object.assign(document['components'].schemas.Unused.properties.a, rules)
    const [base, head] = [await bench.api(setRules({ minLength: 3 })), await bench.api(unchanged)]
    const show = (changes: readonly Change[]) => changes.map(({ code, witness }) => [code, witness])
    expect(show(compareApi(base, head))).toEqual([
      ['schema-changed', { value: { a: '' }, acceptedBy: 'head' }],
    ])
    expect(show(compareApi(head, base))).toEqual([
      ['schema-changed', { value: { a: '' }, acceptedBy: 'base' }],
    ])
  })

  it('has a row for every edit', () => {
    expect(table.map(({ edit }) => edit)).toEqual(Object.keys(edits))
    expect(table.length).toBeGreaterThanOrEqual(60)
  })

  it.each(table)('reports that $edit', async ({ edit, codes, verdicts }) => {
    const changes = await bench.diff(findEdit(edit))
    expect([changes.map(({ code }) => code), formatVerdict(changes)]).toEqual([codes, verdicts])
    for (const { sentence, place } of changes) {
      expect(sentence).not.toMatch(/undefined|\[object/)
      expect(place.line).toBeGreaterThan(0)
    }
  })

  it.each(table)('reports the opposite codes in reverse: $edit', async ({ edit, codes }) => {
    const [base, head] = [await bench.api(unchanged), await bench.api(findEdit(edit))]
    const opposite: readonly string[] = codes.flatMap(
      (code) => catalogue[code as keyof typeof catalogue].reverse,
    )
    for (const { code } of compareApi(head, base)) expect(opposite).toContain(code)
  })

  it('reports a schema change once, with its location and all operations that use it', async () => {
    const [change, ...more] = await bench.diff(findEdit('a field of a response is added'))
    expect(more).toEqual([])
    expect(change).toMatchObject({
      sentence: 'Tram.speed is new',
      operations: ['getTram', 'makeTram'],
      place: { side: 'head', pointer: '/components/schemas/Tram/properties/speed' },
    })
  })

  it('terminates on cyclic documents, and looks into allOf', async () => {
    const wrap = (document: Node) => {
      const { schemas } = document['components']
      schemas.Tram = {
        allOf: [
          schemas.Tram,
          { type: 'object', properties: { twin: { $ref: '#/components/schemas/Tram' } } },
        ],
      }
    }
    const base = await bench.api(wrap)
    const head = await bench.api((document) => {
      wrap(document)
      document['components'].schemas.Tram.allOf[1].properties.twin = { type: 'string' }
    })
    expect(compareApi(base, head).map(({ code, sentence }) => [code, sentence])).toEqual([
      ['response-type-changed', 'Tram.twin was an object and is a string now'],
    ])
  })

  it('reports a different contentSchema of a string, which breaks nothing', async () => {
    const edit = (type: string) => (document: Node) =>
      void Object.assign(document['components'].schemas.NewTram.properties.note, {
        contentMediaType: 'application/json',
        contentSchema: { type },
      })
    const changes = compareApi(await bench.api(edit('integer')), await bench.api(edit('string')))
    expect(changes.map(({ code }) => code)).toEqual(['content-changed'])
    expect(formatVerdict(changes)).toBe('patch none none none')
  })

  it('reports no extra rule for a required property that is no longer declared', async () => {
    const head = await bench.api((document) => {
      const { properties } = document['components'].schemas.NewTram
      delete properties.line
      properties.note.maxLength = 3
    })
    const changes = compareApi(await bench.api(() => undefined), head)
    expect(changes.map(({ code }) => code).sort()).toEqual([
      'request-bound-tightened',
      'request-property-removed',
    ])
  })

  it('always reports a rule that it has no code for', async () => {
    const edit = (minLength: number) => (document: Node) => {
      const note = { type: 'string', minLength, maxLength: minLength + 3 }
      document['components'].schemas.NewTram.not = { required: ['note'], properties: { note } }
    }
    const changes = compareApi(await bench.api(edit(1)), await bench.api(edit(2)))
    expect(changes.map(({ code }) => code)).toEqual(['request-rule-changed'])
  })
})

describe('compared with other tools', () => {
  it('every verdict of Redocly matches the table, and every difference from ours has a reason', async () => {
    // what Redocly says of the table changes only with its version
    if (isWhole) {
      const found = await bench.redocly(table.map(({ edit }) => findEdit(edit)))
      expect(table.map(({ edit }, row) => [edit, found[row]])).toEqual(
        table.map(({ edit, redocly }) => [edit, redocly]),
      )
    }
    expect(
      table.map((row) => [row.edit, gravest(row) === row.redocly ? undefined : 'a reason']),
    ).toEqual(table.map(({ edit, because }) => [edit, because && 'a reason']))
  })

  it('oasdiff has a level for every edit', () => {
    expect(Object.keys(oasdiff)).toEqual(table.map(({ edit }) => edit))
  })
})
