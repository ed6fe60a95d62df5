import * as mini from 'zod/mini'
import * as z from 'zod'
import { describe, expect, it } from 'vitest'
import { rememberAbsence } from './absent.js'

/** An object with one optional property, which counts its validations of it. */
function createCountingSchema(inner: z.core.$ZodType) {
  let times = 0
  const seen = z.unknown().check(() => void times++)
  const optional = z.exactOptional(seen.pipe(inner))
  return { schema: z.looseObject({ a: rememberAbsence(optional) }), times: () => times }
}

const choice = z.union([z.enum(['x', 'y']), z.number()])

describe('rememberAbsence', () => {
  it('validates a missing property once', () => {
    const { schema, times } = createCountingSchema(choice)
    for (let turn = 0; turn < 5; turn++) expect(schema.safeParse({}).success).toBe(true)
    expect(times()).toBe(1)
    expect(schema.parse({ a: 'x' })).toEqual({ a: 'x' })
    expect(schema.safeParse({ a: 'z' }).success).toBe(false)
  })

  it('reports a property that is explicitly undefined each time, like zod', () => {
    const { schema } = createCountingSchema(choice)
    const list = z.looseObject({ list: z.array(schema) })
    const expected = z
      .looseObject({ list: z.array(z.looseObject({ a: z.exactOptional(choice) })) })
      .safeParse({ list: [{ a: undefined }, {}, { a: undefined }] }).error?.issues
    expect(expected).toHaveLength(2)
    for (let turn = 0; turn < 3; turn++)
      expect(
        list.safeParse({ list: [{ a: undefined }, {}, { a: undefined }] }).error?.issues,
      ).toEqual(expected)
  })

  it('creates a new value for each object if undefined has a default', () => {
    const made = rememberAbsence(z.exactOptional(z.preprocess((value) => value ?? {}, z.unknown())))
    const [one, other] = [made.parse(undefined), made.parse(undefined)]
    expect(one).toEqual({})
    expect(one).not.toBe(other)
    expect(z.looseObject({ a: rememberAbsence(z.exactOptional(z.unknown())) }).parse({})).toEqual(
      {},
    )
  })

  it('supports asynchronous validators', async () => {
    const slow = rememberAbsence(
      mini.exactOptional(mini.string().check(mini.refine(async () => true))),
    )
    const schema = mini.object({ a: slow })
    expect(await mini.parseAsync(schema, { a: 'x' })).toEqual({ a: 'x' })
    expect(await mini.parseAsync(schema, {})).toEqual({})
    expect((await mini.safeParseAsync(schema, { a: undefined })).success).toBe(false)
  })
})
