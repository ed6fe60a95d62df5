import { checks } from '@farebox/types/check/operations'
import { expect, it } from 'vitest'
import { validators } from './generated/operations.js'

/** Where an operation has validators: `body application/json`, `responses 200 application/json`. */
function listPlaces(part: unknown, place = ''): readonly string[] {
  const isValidator = typeof part === 'function' || Object.hasOwn(Object(part) as object, '_zod')
  return isValidator
    ? [place.trim()]
    : Object.entries(part as object).flatMap(([key, inner]) => listPlaces(inner, `${place} ${key}`))
}

it('each operation has compiled checks where it has validators', () => {
  expect(Object.keys(checks).toSorted()).toEqual(Object.keys(validators).toSorted())
  for (const [id, parts] of Object.entries(validators))
    expect([id, ...listPlaces(checks[id as keyof typeof checks])]).toEqual([
      id,
      ...listPlaces(parts),
    ])
})

it.each([
  { model: 'm', prompt: 'p', duration: '5s' },
  { model: 'm', prompt: 7, duration: '5s' },
  { prompt: 'p' },
  [],
])('both say the same of a body: %j', (body) => {
  const check = checks.queueVideo.body['application/json'](body)
  const zod = validators.queueVideo.body['application/json'].safeParse(body)
  expect(check.ok).toBe(zod.success)
  const places = (issues: readonly { readonly path: readonly PropertyKey[] }[] = []) =>
    [...new Set(issues.map(({ path }) => path.join('.')))].toSorted()
  expect(places(check.ok ? [] : check.issues)).toEqual(places(zod.error?.issues))
})
