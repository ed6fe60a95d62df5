import { expect, it } from 'vitest'
import { changeGood, good } from '../test/document.js'
import { lint } from '../test/lint.js'

it.concurrent('takes a moment as YYYYMMDD.HHMMSS for a version', async () => {
  const complaints = await lint('info-version', {
    good,
    semver: changeGood(['info', 'version'], '1.0.0'),
    noSuchDay: changeGood(['info', 'version'], '20260231.000000'),
    number: changeGood(['info', 'version'], 20_261_121.093),
  })

  expect(complaints).toEqual({
    good: [],
    semver: [
      '#/info/version: Found the version "1.0.0": expected a moment as YYYYMMDD.HHMMSS, in quotes.',
    ],
    noSuchDay: [
      '#/info/version: Found the version "20260231.000000": expected a moment as YYYYMMDD.HHMMSS, in quotes.',
    ],
    number: [
      '#/info/version: Found the version 20261121.093: expected a moment as YYYYMMDD.HHMMSS, in quotes.',
    ],
  })
})

it.concurrent('complains of x- fields that nobody has described, and not of headers that begin alike', async () => {
  const complaints = await lint('known-extensions', {
    good,
    atTheRoot: changeGood(['x-rate-limitz'], {}),
    onAnOperation: changeGood(['paths', '/audio/speech', 'post', 'x-idempotant'], true),
    inASchema: changeGood(['components', 'schemas', 'Open'], { type: 'object', 'x-order': 1 }),
    asAProperty: changeGood(['components', 'schemas', 'Open'], {
      type: 'object',
      properties: { 'x-order': { type: 'integer' } },
    }),
  })

  expect(complaints).toEqual({
    good: [],
    atTheRoot: [
      '#/x-rate-limitz: x-rate-limitz is not known: describe it in spec/README.md and add it to tools/lint-rules, or correct the name.',
    ],
    onAnOperation: [
      '#/paths/~1audio~1speech/post/x-idempotant: x-idempotant is not known: describe it in spec/README.md and add it to tools/lint-rules, or correct the name.',
    ],
    inASchema: [
      '#/components/schemas/Open/x-order: x-order is not known: describe it in spec/README.md and add it to tools/lint-rules, or correct the name.',
    ],
    asAProperty: [],
  })
})
