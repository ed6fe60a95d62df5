import { expect, it } from 'vitest'
import { build } from '../../../codegen/test/documents.js'
import { findLifecycleFindings, lifecycleRules } from './lifecycle.js'

const createDocument = (operation: object | undefined) => ({
  openapi: '3.1.0',
  info: { title: 'Trams', version: '1' },
  paths: operation
    ? {
        '/trams': {
          get: {
            operationId: 'listTrams',
            responses: { 204: { description: 'None' } },
            ...operation,
          },
        },
      }
    : {},
})
const buildApi = (operation: object | undefined) => build(createDocument(operation))
const createSunset = (day: unknown) => ({ deprecated: true, 'x-sunset': day })

const rows: readonly (readonly [
  before: object | undefined,
  after: object | undefined,
  rules: readonly string[],
])[] = [
  [{}, {}, []],
  [{}, { deprecated: true }, ['deprecated-without-sunset']],
  [undefined, { deprecated: true }, ['deprecated-without-sunset']],
  [{ deprecated: true }, { deprecated: true }, []],
  [{}, createSunset('2027-06-30'), []],
  [{}, createSunset('June'), ['sunset-invalid']],
  [{}, createSunset('2027-02-31x'), ['sunset-invalid']],
  [createSunset('2027-06-30'), createSunset('2027-05-30'), ['sunset-earlier']],
  [createSunset('2027-06-30'), createSunset('2027-07-30'), []],
  [createSunset('2027-06-30'), { deprecated: true }, ['sunset-earlier']],
  [createSunset('2026-11-24'), undefined, ['removed-before-sunset']],
  [createSunset('2026-11-23'), undefined, []],
  [{}, undefined, ['removed-without-deprecation']],
  [{ 'x-stability': 'stable' }, { 'x-stability': 'beta' }, ['stability-decreased']],
  [{}, { 'x-stability': 'solid' }, ['stability-invalid']],
  [{ 'x-stability': 'alpha' }, undefined, []],
  [{ 'x-stability': 'beta' }, undefined, ['removed-without-deprecation']],
  [{}, createSunset('2026-12-02'), ['sunset-too-early']],
  [{}, createSunset('2026-12-03'), []],
  [{ 'x-stability': 'beta' }, { 'x-stability': 'beta', ...createSunset('2026-11-26') }, []],
  [
    { 'x-stability': 'beta' },
    { 'x-stability': 'beta', ...createSunset('2026-11-25') },
    ['sunset-too-early'],
  ],
  [createSunset('2026-11-24'), createSunset('2026-11-24'), []],
  [{ 'x-stability-level': 'alpha' }, { 'x-stability': 'stable' }, []],
]

it.each(rows)('%j becomes %j: %j', async (before, after, rules) => {
  const findings = findLifecycleFindings(await buildApi(before), await buildApi(after), {
    today: '2026-11-23',
    sunsetDays: { stable: 10, beta: 3 },
  })
  expect(findings.map(({ rule }) => rule)).toEqual(rules)
  for (const { id, rule, sentence, place } of findings) {
    expect([id.startsWith(`${rule}-`), sentence.startsWith('listTrams: '), place.line > 0]).toEqual(
      [true, true, true],
    )
    expect(lifecycleRules[rule]).toBeDefined()
  }
})
