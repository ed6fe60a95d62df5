import { expect, it } from 'vitest'
import { changeGood, good } from '../test/document.js'
import { lint } from '../test/lint.js'

it.concurrent('accepts a timestamp as YYYYMMDD.HHMMSS for a version', async () => {
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

it.concurrent('reports undocumented x- fields, but not headers with that prefix', async () => {
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

it.concurrent('requires closed schemas exactly where the interface specification closes them', async () => {
  const complaints = await lint('closed-objects', {
    good,
    opened: changeGood(['components', 'schemas', 'LedgerEntry'], { type: 'object' }),
    gone: changeGood(['components', 'schemas', 'LedgerEntry'], undefined),
    closed: changeGood(['components', 'schemas', 'Open'], {
      type: 'object',
      properties: { inner: { type: 'object', additionalProperties: false } },
    }),
  })

  expect(complaints).toEqual({
    good: [],
    opened: [
      '#/components/schemas/LedgerEntry: LedgerEntry must stay closed: write additionalProperties: false.',
    ],
    gone: [
      '#/components: There is no schema LedgerEntry: the interface specification has it, as a closed object.',
    ],
    closed: [
      '#/components/schemas/Open: Open must stay open: the interface specification does not close it. Remove the false.',
    ],
  })
})

it.concurrent('requires a body with a schema for every 4xx and 5xx', async () => {
  const complaints = await lint('error-schema', {
    good,
    noContent: changeGood(['paths', '/audio/speech', 'post', 'responses', '400'], {
      description: 'Wrong.',
    }),
    noSchema: changeGood(['paths', '/audio/speech', 'post', 'responses', '400'], {
      description: 'Wrong.',
      content: { 'application/json': {} },
    }),
    noContentIn200: changeGood(['paths', '/audio/speech', 'post', 'responses', '200'], {
      description: 'Empty.',
    }),
  })

  expect(complaints).toEqual({
    good: [],
    noContent: [
      '#/paths/~1audio~1speech/post/responses/400: The response 400 has no content: give it a body with a schema, such as StandardError.',
    ],
    noSchema: [
      '#/paths/~1audio~1speech/post/responses/400/content/application~1json: The response 400 has no schema for application/json: say what the body is, such as StandardError.',
    ],
    noContentIn200: [],
  })
})
