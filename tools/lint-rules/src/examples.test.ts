import { expect, it } from 'vitest'
import { openContract, listExampleFiles, readSpecFolder } from '../test/contract.js'
import type { At } from '../test/contract.js'
import { isNode } from './rule.js'

it('uses every example below spec/examples', async () => {
  const users = `${await readSpecFolder('paths')}\n${await readSpecFolder('responses')}`
  const unused = (await listExampleFiles()).filter((file) => !users.includes(`../${file}\n`))

  expect(unused).toEqual([])
})

it('has no example with a field that its schema does not declare', async () => {
  const at = await openContract()
  const faults = listMediaTypes(at).flatMap(([path, type]) => {
    const examples = at(...path, 'examples')
    const names = isNode(examples) ? Object.keys(examples) : []
    return names.flatMap((name) =>
      listUndeclared(at, [...path, 'schema'], at(...path, 'examples', name, 'value')).map(
        (key) => `${type} ${name}: ${key}`,
      ),
    )
  })

  expect(faults).toEqual([])
})

type Path = readonly (string | number)[]

/** The place of each media type of each operation. */
function listMediaTypes(at: At): readonly (readonly [Path, string])[] {
  return Object.entries(at('paths') as object).flatMap(([path, item]: [string, object]) =>
    Object.keys(item).flatMap((method) => {
      const operation: Path = ['paths', path, method]
      const responses = Object.keys(at(...operation, 'responses') as object).map((status): Path => [
        ...operation,
        'responses',
        status,
      ])
      return [[...operation, 'requestBody'], ...responses].flatMap((place) =>
        Object.keys(at(...place, 'content') ?? {}).map(
          (type) => [[...place, 'content', type], `${method} ${path}`] as const,
        ),
      )
    }),
  )
}

/**
 * Members of a value that the schema at a place does not name; of several schemas, the one that
 * knows it best counts.
 */
function listUndeclared(at: At, schema: Path, value: unknown): readonly string[] {
  const options = at(...schema, 'anyOf')
  if (Array.isArray(options)) {
    const found = options.map((_, index) => listUndeclared(at, [...schema, 'anyOf', index], value))
    return found.toSorted((one, other) => one.length - other.length)[0] ?? []
  }
  if (Array.isArray(value))
    return value.flatMap((item: unknown) => listUndeclared(at, [...schema, 'items'], item))
  if (!isNode(value)) return []
  if (at(...schema, 'properties') === undefined) return []
  return Object.entries(value).flatMap(([key, item]) => {
    const declared =
      at(...schema, 'properties', key) !== undefined ||
      at(...schema, 'additionalProperties') !== undefined
    return declared ? listUndeclared(at, [...schema, 'properties', key], item) : [key]
  })
}
