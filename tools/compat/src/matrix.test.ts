import { beforeAll, describe, expect, it } from 'vitest'
import { recordedMatrix, runMatrix, withRecorded, type Matrix } from './matrix.js'

it('a runtime that is not available keeps what was recorded of it, as long as the clients are the same', () => {
  const recorded = recordedMatrix()
  const { Firefox: _recorded, ...row } = recorded.outcomes['ky'] ?? {}
  const runtimes = recorded.runtimes.map((one) => (one.name === 'Firefox' ? { name: 'Firefox', unavailable: 'There is none.' } : one))
  const found: Matrix = { ...recorded, runtimes, outcomes: { ...recorded.outcomes, ky: row } }
  expect(withRecorded(found, recorded)).toEqual(recorded)
  const newer = { ...found, clients: found.clients.map((one) => ({ ...one, version: '99.0.0' })) }
  expect(withRecorded(newer, recorded)).toEqual(newer)
})

describe('the matrix of clients and runtimes', () => {
  let matrix: Matrix
  beforeAll(async () => void (matrix = await runMatrix()))

  it('has no case that a client can do with fetch itself, and not with ours', () => {
    const wrong = Object.entries(matrix.outcomes).flatMap(([client, row]) =>
      Object.entries(row).flatMap(([runtime, outcomes]) =>
        outcomes.flatMap(({ kind, why }, index) => (kind === 'fails' ? [`${client}, ${runtime}, ${matrix.cases[index]}: ${why}`] : [])),
      ),
    )
    expect(wrong).toEqual([])
  })

  it('has every case of every client, or says why a runtime was not run', () => {
    for (const { name: runtime, unavailable } of matrix.runtimes) {
      for (const { name: client } of matrix.clients) {
        expect(matrix.outcomes[client]?.[runtime]?.length, `${client}, ${runtime}`).toBe(unavailable === undefined ? 5 : undefined)
      }
    }
  })

  it('is the one that the site shows; `pnpm compat` writes it', () => {
    expect(withRecorded(matrix, recordedMatrix())).toEqual(recordedMatrix())
  })
})
