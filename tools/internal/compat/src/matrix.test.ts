import { expect, it } from 'vitest'
import { findFaults, readRecordedMatrix, withRecorded, type Matrix } from './matrix.js'

it('a runtime that is not available keeps its recorded results while the clients are the same', () => {
  const recorded = readRecordedMatrix()
  const { Firefox: _recorded, ...row } = recorded.outcomes['ky'] ?? {}
  const runtimes = recorded.runtimes.map((one) =>
    one.name === 'Firefox' ? { name: 'Firefox', unavailable: 'There is none.' } : one,
  )
  const found: Matrix = { ...recorded, runtimes, outcomes: { ...recorded.outcomes, ky: row } }
  expect(withRecorded(found, recorded)).toEqual(recorded)
  const newer = { ...found, clients: found.clients.map((one) => ({ ...one, version: '99.0.0' })) }
  expect(withRecorded(newer, recorded)).toEqual(newer)
})

it('the published results have every case of every client, and none that fails only with ours', () => {
  expect(findFaults(readRecordedMatrix())).toEqual([])
})

it('a case that fails only with ours is reported, and so is a missing one', () => {
  const matrix: Matrix = {
    cases: ['retries', 'pays'],
    clients: [{ name: 'ky', version: '1' }],
    runtimes: [
      { name: 'Node' },
      { name: 'Bun' },
      { name: 'Firefox', unavailable: 'There is none.' },
    ],
    outcomes: {
      ky: {
        Node: [{ kind: 'works' }, { kind: 'fails', why: 'it paid twice' }],
        Bun: [{ kind: 'works' }],
      },
    },
  }
  expect(findFaults(matrix)).toEqual(['ky, Node, pays: it paid twice', 'ky, Bun: 1 cases'])
})
