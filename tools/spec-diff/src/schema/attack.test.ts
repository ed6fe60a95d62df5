import { expect, it } from 'vitest'
import { build } from '../../../codegen/test/documents.js'
import { createChangeList } from '../change/change-list.js'
import { createSides } from '../difference/side.js'
import { hopsOfAll } from '../witness/find-witness.js'
import { attack } from './schema.js'

const buildApi = (schema: object) =>
  build({
    openapi: '3.1.0',
    info: { title: 'Trams', version: '1' },
    paths: {},
    components: { schemas: { Tram: schema } },
  })

/** What the attack alone reports of a schema, as if no rule saw a change. */
async function runAttack(before: object, after: object, direction: 'request' | 'response') {
  const [base, head] = [await buildApi(before), await buildApi(after)]
  const changes = createChangeList({ base, head }, hopsOfAll)
  const [one, other] = [base.schemas[0]?.schema, head.schemas[0]?.schema]
  if (one === undefined || other === undefined) throw new Error('A document has no schema')
  attack(one, other, 'Tram', {
    changes,
    ...createSides(base, head),
    direction,
    compare: () => false,
  })
  return changes.all().map(({ code, verdicts, witness }) => [code, verdicts.zod, witness?.value])
}

const createStringSchema = (minLength: number) => ({ type: 'string', minLength })

it('reports a breaking value that no rule found', async () => {
  expect(await runAttack(createStringSchema(1), createStringSchema(3), 'request')).toEqual([
    ['request-values-changed', 'major', 'a'],
  ])
  expect(await runAttack(createStringSchema(3), createStringSchema(1), 'response')).toEqual([
    ['response-values-changed', 'major', 'a'],
  ])
})

it('reports nothing if each value is still valid', async () => {
  expect(await runAttack(createStringSchema(3), createStringSchema(1), 'request')).toEqual([])
  expect(await runAttack(createStringSchema(1), createStringSchema(3), 'response')).toEqual([])
})
