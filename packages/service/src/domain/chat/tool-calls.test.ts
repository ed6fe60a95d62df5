import { describe, expect, it } from 'vitest'
import { createToolCallReader } from './tool-calls.js'

/** The calls that a client puts together from deltas with these pieces. */
function join(...deltas: readonly (readonly object[])[]) {
  const { read } = createToolCallReader()
  const calls: { id: string; name: string; arguments: string }[] = []
  for (const { index, id, function: named } of deltas.flatMap((pieces) => read(0, pieces))) {
    const call = (calls[index] ??= { id: '', name: '', arguments: '' })
    call.id += id ?? ''
    call.name += named?.name ?? ''
    call.arguments += named?.arguments ?? ''
  }
  return calls
}

const find = { name: 'find', arguments: '{"a":1}' }
const open = { name: 'open', arguments: '{}' }
const both = [
  { id: 'x', ...find },
  { id: 'y', ...open },
]

describe('tool calls', () => {
  it.each<[string, ...object[][]]>([
    [
      'count from 0',
      [{ index: 0, id: 'x', function: find }],
      [{ index: 1, id: 'y', function: open }],
    ],
    [
      'count from 1',
      [{ index: 1, id: 'x', function: find }],
      [{ index: 2, id: 'y', function: open }],
    ],
    [
      'all count as 0',
      [{ index: 0, id: 'x', function: find }],
      [{ index: 0, id: 'y', function: open }],
    ],
    ['do not count', [{ id: 'x', function: find }], [{ id: 'y', function: open }]],
    [
      'come together',
      [
        { id: 'x', function: find },
        { id: 'y', function: open },
      ],
    ],
    [
      'come in turns',
      [{ index: 0, id: 'x', function: { name: 'find', arguments: '{"a"' } }],
      [{ index: 1, id: 'y', function: open }],
      [{ index: 0, function: { arguments: ':1}' } }],
    ],
  ])('that %s are told apart', (_name, ...deltas) => {
    expect(join(...deltas)).toEqual(both)
  })

  it.each([
    ['alone', { function: { arguments: ':1}' } }],
    ['with its index', { index: 0, function: { arguments: ':1}' } }],
    ['with id and name', { index: 0, id: 'x', function: { name: 'find', arguments: ':1}' } }],
    ['with its name', { index: 0, function: { name: 'find', arguments: ':1}' } }],
    ['with another id', { index: 0, id: 'random', function: { arguments: ':1}' } }],
    ['with empty fields', { index: 0, id: '', function: { name: '', arguments: ':1}' } }],
    ['with its id alone', { id: 'x', function: { name: null, arguments: ':1}' } }],
  ])('are continued by a chunk that comes %s', (_name, piece) => {
    const first = { index: 0, id: 'x', function: { name: 'find', arguments: '{"a"' } }
    expect(join([first], [piece])).toEqual([{ id: 'x', ...find }])
  })

  it('have names that come in chunks', () => {
    const pieces = ['fi', 'nd'].map((name) => [{ index: 0, id: 'x', function: { name } }])
    expect(join(...pieces)).toEqual([{ id: 'x', name: 'find', arguments: '' }])
  })

  it('without ids get one each', () => {
    const calls = join([{ function: find }], [{ function: find }])
    expect(calls).toMatchObject([find, find])
    const [one, other] = calls.map(({ id }) => id)
    expect(one).toMatch(/^call_\w{32}$/)
    expect(other).toMatch(/^call_\w{32}$/)
    expect(other).not.toBe(one)
  })

  it('may have an object as their arguments', () => {
    const piece = { id: 'x', function: { name: 'find', arguments: { a: 1 } } }
    expect(join([piece])).toEqual([{ id: 'x', ...find }])
  })

  it('are numbered separately for each choice', () => {
    const { read } = createToolCallReader()
    const indexes = [0, 1].map((choice) => read(choice, [{ id: 'x', function: find }])[0]?.index)
    expect(indexes).toEqual([0, 0])
  })

  it('omit items that are not objects', () => {
    expect(createToolCallReader().read(0, [null, 'find', 1])).toEqual([])
  })
})
