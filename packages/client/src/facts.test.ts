import { operations, type Operation } from '@farebox/types/operations'
import { expect, it } from 'vitest'
import * as generated from './generated/facts.js'
import * as ofForms from './generated/form-facts.js'
import { formIds } from './generated/form-ids.js'

const { all: allOfForms, ...formFacts } = ofForms
const { all: others, ...otherFacts } = generated
const facts = { ...otherFacts, ...formFacts }
const all = [...others, ...allOfForms]
const records: Readonly<Record<string, Operation>> = operations

it('there are facts for each record, under the same id', () => {
  expect(Object.keys(facts).toSorted()).toEqual(Object.keys(records).toSorted())
  expect(all.map(({ id }) => id).toSorted()).toEqual(Object.keys(records).toSorted())
  expect(allOfForms.map(({ id }) => id)).toEqual(formIds)
})

it.each(all)(
  '$id has the facts of its record, and no other value for any of them',
  ({ id, limits: _limits, ...own }) => {
    const { parameters, body, responses, ...record } = records[id] ?? {}
    const {
      parameters: written,
      body: sent,
      responses: read,
      put: _put,
      accept: _accept,
      otherwise: _otherwise,
      ...plain
    } = own
    expect(record).toMatchObject(plain)
    expect(
      (written ?? []).map(({ name, field = name, in: place, missing }) => ({
        name,
        field,
        in: place,
        required: missing !== undefined,
      })),
    ).toEqual(
      parameters
        ?.filter(({ credential }) => !credential)
        .toSorted((one, other) => Number(one.in !== 'path') - Number(other.in !== 'path'))
        .map(({ name, field, in: place, required }) => ({ name, field, in: place, required })),
    )
    expect([sent?.contentType, sent?.files, sent?.encoding]).toEqual([
      body?.contentType,
      body?.files,
      body?.encoding,
    ])
    expect(Object.keys(read)).toEqual(Object.keys(responses ?? {}))
  },
)
