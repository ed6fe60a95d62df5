import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Node } from '../../test/edits.js'
import { createBench, unchanged, type Bench } from '../../test/verdicts.js'
import type { Change } from '../change/change.js'
import { compareApi, withRenames } from './contracts.js'
import { outputs } from '../changeset/owners.js'
import { report, type Format } from '../report/report.js'
import { isSimilar, splitName } from '../change/possible-renames.js'

let bench: Bench
beforeAll(() => void (bench = createBench()))
afterAll(() => bench.close())

type Edit = (document: Node) => unknown

async function diff(edit: Edit): Promise<readonly Change[]> {
  return bench.diff((document) => void edit(document))
}

/** Each possible rename once, as `KIND OWNER.FROM TO`. */
function listPairs(changes: readonly Change[]): readonly string[] {
  const all = changes.flatMap(({ possibleRenames = [] }) => possibleRenames)
  return [
    ...new Set(
      all.map(
        ({ kind, owner, from, to }) =>
          `${kind} ${owner === undefined ? '' : `${owner}.`}${from} ${to}`,
      ),
    ),
  ]
}

function rename(object: Node, from: string, ...to: readonly string[]): void {
  for (const name of to) object[name] = object[from]
  delete object[from]
}

const findProperties = (document: Node, schema: string): Node =>
  document['components'].schemas[schema].properties
const get = (document: Node): Node => document['paths']['/trams/{id}'].get

/** A rename of each kind, and where the newer document states it. */
const kinds: readonly { readonly pair: string; readonly edit: Edit; readonly state: Edit }[] = [
  {
    pair: 'property Tram.line route',
    edit: (document) => rename(findProperties(document, 'Tram'), 'line', 'route'),
    state: (document) => (findProperties(document, 'Tram')['route']['x-renamed-from'] = 'line'),
  },
  {
    pair: 'value Tram.colour.red crimson',
    edit: (document) => (findProperties(document, 'Tram')['colour'].enum[0] = 'crimson'),
    state: (document) =>
      (findProperties(document, 'Tram')['colour']['x-renamed-from'] = { crimson: 'red' }),
  },
  {
    pair: 'parameter getTram.q word',
    edit: (document) => (get(document)['parameters'][1].name = 'word'),
    state: (document) => (get(document)['parameters'][1]['x-renamed-from'] = 'q'),
  },
  {
    pair: 'operation scrapTrams removeTrams',
    edit: (document) => {
      document['paths']['/all-trams'] = {
        delete: { ...document['paths']['/trams'].delete, operationId: 'removeTrams' },
      }
      delete document['paths']['/trams'].delete
    },
    state: (document) => (document['paths']['/all-trams'].delete['x-renamed-from'] = 'scrapTrams'),
  },
]

describe('a possible rename', () => {
  it.for(kinds)(
    'is found, and read as a stated one once it is confirmed: $pair',
    async ({ pair, edit, state }) => {
      const [base, head] = [
        await bench.api(unchanged),
        await bench.api((document) => void edit(document)),
      ]
      const changes = compareApi(base, head)
      expect(listPairs(changes)).toEqual([pair])
      const confirmed = withRenames(
        { api: head },
        changes.flatMap(({ possibleRenames = [] }) => possibleRenames),
      )
      const both: Edit = (document) => [edit(document), state(document)]
      const stated = await diff(both)
      expect(compareApi(base, confirmed.api).map(({ id }) => id)).toEqual(
        stated.map(({ id }) => id),
      )
      expect([listPairs(stated), listPairs(compareApi(base, confirmed.api))]).toEqual([[], []])
      // the verdicts are those of a name that is gone
      expect(changes.map(({ id, verdicts }) => ({ id, verdicts }))).toEqual(
        stated.map(({ id, verdicts }) => ({ id, verdicts })),
      )
    },
  )

  it('is the similar name, where there is one', async () => {
    const edit: Edit = (document) =>
      rename(findProperties(document, 'NewTram'), 'name', 'title', 'tram_name')
    expect(listPairs(await diff(edit))).toEqual(['property NewTram.name tram_name'])
  })

  it('is ambiguous with two names of the same shape', async () => {
    const edit: Edit = (document) =>
      rename(findProperties(document, 'NewTram'), 'name', 'title', 'label')
    expect(listPairs(await diff(edit))).toEqual([
      'property NewTram.name title',
      'property NewTram.name label',
    ])
    const schema: Edit = (document) =>
      rename(document['components'].schemas, 'Unused', 'Spare', 'Rest')
    expect(listPairs(await diff(schema))).toEqual(['schema Unused Spare', 'schema Unused Rest'])
    const head = await bench.api((document) => void schema(document))
    const changes = compareApi(await bench.api(unchanged), head)
    const [first] = changes.flatMap(({ possibleRenames = [] }) => possibleRenames)
    const confirmed = compareApi(
      await bench.api(unchanged),
      withRenames({ api: head }, first === undefined ? [] : [first]).api,
    )
    expect(confirmed.map(({ code, from, to }) => [code, from, to])).toEqual([
      ['schema-renamed', 'Unused', 'Spare'],
      ['schema-added', undefined, undefined],
    ])
  })

  it.for<readonly [string, Edit]>([
    [
      'another type',
      (document) => {
        rename(findProperties(document, 'Tram'), 'line', 'lines')
        findProperties(document, 'Tram')['lines'] = { type: 'string' }
      },
    ],
    [
      'another bound',
      (document) => {
        rename(findProperties(document, 'Tram'), 'line', 'lines')
        findProperties(document, 'Tram')['lines'] = { type: 'integer' }
      },
    ],
    [
      'required now',
      (document) => {
        rename(findProperties(document, 'Tram'), 'line', 'lines')
        document['components'].schemas.Tram.required.push('lines')
      },
    ],
    [
      'another object',
      (document) => (
        (findProperties(document, 'NewTram')['driver'] = { type: 'string' }),
        delete findProperties(document, 'Tram')['driver']
      ),
    ],
    [
      'four names without likeness',
      (document) => rename(findProperties(document, 'NewTram'), 'name', 'a1', 'b2', 'c3', 'd4'),
    ],
    [
      'another place of the request',
      (document) => Object.assign(get(document)['parameters'][1], { name: 'x-q', in: 'header' }),
    ],
    [
      'a number for a string',
      (document) => (findProperties(document, 'Tram')['colour'].enum[0] = 1),
    ],
  ])('is not reported: %s', async ([, edit]) => {
    const changes = await diff(edit)
    expect(changes.length).toBeGreaterThan(0)
    expect(listPairs(changes)).toEqual([])
  })

  it('appears in the text, the markdown and the JSON with a stable id', async () => {
    const edit: Edit = (document) =>
      rename(findProperties(document, 'NewTram'), 'name', 'title', 'label')
    const print = async (format: Format) =>
      report(await diff(edit), { format, carriers: outputs, all: false, version: '1.2.3' })
    const words =
      /name may be called title \((rename-\w+)\) or label \((rename-\w+)\) now: the shape is the same\./
    const [, title = '', label = ''] = words.exec(await print('text')) ?? []
    expect(words.exec(await print('markdown'))?.slice(1)).toEqual([title, label])
    expect(await print('json')).toContain(`"id": "${title}"`)
  })
})

it.for([
  ['userName', 'user_name', true],
  ['note', 'side-note', true],
  ['colour', 'color', true],
  ['URL', 'url', true],
  ['line', 'route', false],
  ['userId', 'orderId', false],
] as const)('calls %s and %s similar: %s', ([first, second, similar]) => {
  const [one, other] = [splitName(first), splitName(second)]
  expect([isSimilar(one, other), isSimilar(other, one)]).toEqual([similar, similar])
})
