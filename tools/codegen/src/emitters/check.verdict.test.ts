import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { build, withSchemas } from '../../test/documents.js'
import { checkoutSuite, findException, readGroups, npmSuite } from '../../test/public-suite.js'
import { runCheck, type CheckResult } from '../../test/run-check.js'
import { jsonSchema, jsonValue, sharedSchemas } from '../../test/schemas.js'
import { judgeSchemas } from '../../test/suite.js'
import { countRounds } from '../../../internal/testing/src/rounds.js'
import type { Schema } from '../ir/schema.js'
import { accepts } from '../validate/accepts.js'

const never: Schema = { kind: 'never', notes: { origin: { file: '', pointer: '' } } }

it.each([npmSuite, ...(checkoutSuite === undefined ? [] : [checkoutSuite])])(
  'the public suite in %s has the same verdicts',
  async (folder) => {
    const groups = await readGroups(folder)
    const outcomes = await judgeSchemas(
      groups.map(({ schema }) => schema),
      (api) => {
        const functions = runCheck(api)
        return (name) => functions[`is${name}`] as (value: unknown) => boolean
      },
    )
    const wrong = groups.flatMap((group, index) => {
      const outcome = outcomes[index]
      if (outcome === undefined || 'rejected' in outcome) return []
      return group.tests.flatMap(({ description, data, valid }) => {
        const exception = findException(group, description)
        const excused = exception !== undefined && exception.says === undefined
        return outcome.accepts(data) === valid || excused
          ? []
          : [`${group.file}: ${group.description}, ${description}`]
      })
    })
    expect(wrong).toEqual([])
    expect(outcomes.filter((outcome) => 'accepts' in outcome).length).toBeGreaterThan(60)
  },
)

it('returns the verdict of the model, and issues for each rejected value', async () => {
  await fc.assert(
    fc.asyncProperty(
      jsonSchema,
      fc.array(jsonValue, { minLength: 8, maxLength: 8 }),
      async (subject, values) => {
        const api = await build(withSchemas({ ...sharedSchemas, Subject: subject }))
        const schemas = new Map(api.schemas.map(({ name, schema }) => [name, schema]))
        const lookup = (name: string): Schema => schemas.get(name) ?? never
        const { isSubject, checkSubject } = runCheck(api)
        for (const value of values) {
          const expected = accepts(lookup('Subject'), value, { lookup })
          expect([value, isSubject?.(value)]).toEqual([value, expected])
          const checked = checkSubject?.(value) as CheckResult
          expect(checked.ok).toBe(expected)
          if (checked.ok) expect(checked.value).toBe(value)
          else expect(checked.issues.length).toBeGreaterThan(0)
        }
      },
    ),
    { numRuns: countRounds(200) },
  )
})
