import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import * as rules from '../zod/formats.js'
import { stringFormats } from '../../src/ir/schema.js'
import { camelCase } from '../../src/ir/names.js'
import * as made from './formats.js'
import { makeStrings } from './scalars.js'
import type { Format } from './formats.js'

const findFormat = (name: string): Format | undefined =>
  (made as Readonly<Record<string, Format>>)[camelCase(name)]

it('the emitter knows every format of the runtime', () => {
  expect([...stringFormats.keys()].map(camelCase).toSorted()).toEqual(Object.keys(made).toSorted())
})

const { int32: _32, int64: _64, ...texts } = rules

/** A rule's name is its format's, in camel case. */
const formats = Object.entries(texts).map(([name, rule]) => ({
  name: name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
  rule,
}))

const takesText =
  (rule: (typeof texts)[keyof typeof texts]) =>
  (value: string): boolean => {
    const issues: Parameters<typeof rule>[0]['issues'] = []
    rule({ value, issues })
    return issues.length === 0
  }

it.each(formats)(
  'generates strings of the format $name that its validator accepts, and invalid ones that it rejects',
  ({ name, rule }) => {
    const takes = takesText(rule)
    const format = findFormat(name)
    expect(format).toBeDefined()
    if (format !== undefined)
      fc.assert(fc.property(format.valid, (text) => takes(text) && format.shape.test(text)))
    expect(format?.wrong.filter(takes)).toEqual([])
  },
)

it.each([
  ['date-time', 20, 20],
  ['time', 9, 9],
  ['byte', 100, 120],
  ['email', 60, 70],
  ['hostname', 100, 200],
  ['uri', 90, 100],
  ['uri-reference', 90, 100],
])(
  'generates strings of the format %s with a length from %i to %i',
  (name, minLength, maxLength) => {
    const rule = formats.find((one) => one.name === name)?.rule
    const format = findFormat(name)
    const found = makeStrings({ kind: 'string', format: name, minLength, maxLength }, format)
    if (rule === undefined || found === undefined) throw new Error('no text is known')
    const drawn = fc.sample(found, { numRuns: 50, seed: 1 })
    expect(drawn.filter((text) => !takesText(rule)(text))).toEqual([])
    expect(drawn.filter(({ length }) => length < minLength || length > maxLength)).toEqual([])
  },
)

it('generates addresses that an address pattern of a document accepts too', () => {
  const pattern = '^([\\w.-]+)@([\\w.-]+)\\.([a-zA-Z]{2,5})$'
  const addresses = makeStrings({ kind: 'string', format: 'email', pattern }, made.email)
  if (addresses === undefined) throw new Error('no string is known')
  const isAddress = takesText(rules.email)
  const samples = fc.sample(addresses, { numRuns: 500, seed: 1 })
  expect(samples.filter((text) => !isAddress(text) || !new RegExp(pattern).test(text))).toEqual([])
})
