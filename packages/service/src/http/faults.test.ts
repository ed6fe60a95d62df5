import { expect, it } from 'vitest'
import * as z from 'zod'
import { requireValid } from './read-input.js'
import type { HttpError } from './reply.js'

function findFault(schema: z.ZodType, value: unknown): unknown {
  try {
    requireValid([[z.object({ voice: schema }), { voice: value }]])
    return 'nothing'
  } catch (error) {
    return (error as Error).message
  }
}

it('lists what each variant of a union expects', () => {
  const voice = z.union([z.enum(['nova', 'eve']), z.strictObject({ id: z.string() })])
  expect(findFault(voice, 1)).toBe(
    'The request is not valid. voice: Invalid in each of its forms: Invalid option: expected one of "nova"|"eve"; or Invalid input: expected object, received number',
  )
  expect(findFault(voice, { id: 1 })).toContain(
    'or id: Invalid input: expected string, received number',
  )
})

it('shortens a long list of allowed values', () => {
  const voices = z.enum(Array.from({ length: 1000 }, (_, index) => `voice-${index}`))
  expect(String(findFault(voices, 'x')).length).toBeLessThan(450)
  expect(String(findFault(z.union([voices, z.number()]), 'x'))).toMatch(
    /voice-\d+.*…; or Invalid input: expected number, received string$/,
  )
})

it('reports 50 of a thousand errors in a body', () => {
  const list = Array.from({ length: 1000 }).fill('x')
  try {
    requireValid([[z.object({ list: z.array(z.number()) }), { list }]])
  } catch (error) {
    expect(JSON.stringify((error as HttpError).failure.json).match(/_errors/g)).toHaveLength(50)
  }
  expect.assertions(1)
})
