import { code, join, namespace, type Code } from '../../emit/code.js'
import { literal } from '../../emit/literal.js'
import {
  canonicalize,
  type Cases,
  type EnumNode,
  type Json,
  match,
  numberFormats,
  type NumberNode,
  type OneOfNode,
  type Schema,
  stringFormats,
  type StringNode,
} from '../../ir/schema.js'
import { printEvaluated, dropBareParts } from '../../emit/applicators.js'
import { printArrayBody, printObjectBody } from './containers.js'
import {
  joinTests,
  printFaults,
  printGuarded,
  printTest,
  declarePattern,
  rules,
  self,
  type CheckContext,
  type Compile,
  type Target,
} from './target.js'

/** The expression that is true if the schema accepts the value, or if its faults are noted. */
function printExpression(
  schema: Schema,
  target: Target,
  context: CheckContext,
  hint: string,
): Code {
  const { value } = target
  const inner = (part: Schema): Code => printExpression(part, target, context, hint)
  const call = (part: Schema): Code => printCall(part, target, context, hint)
  const cases: Cases<Code> = {
    any: () => code`true`,
    never: () => printTest(code`false`, target, 'not', 'nothing'),
    null: () => printTest(code`${value} === null`, target, 'type', 'null'),
    boolean: () => printTest(code`typeof ${value} === 'boolean'`, target, 'type', 'a boolean'),
    number: (node) => printNumber(node, target, context),
    string: (node) => printString(node, target, context, hint),
    binary: () =>
      printTest(code`${rules}.isBinary(${value})`, target, 'type', 'a Blob, a File or bytes'),
    enum: (node) => printEnum(node, target, context, hint),
    array: call,
    object: (node) =>
      isPlainObject(node) && value.text === 'v'
        ? printObjectBody(node, target, context, hint).expression
        : call(node),
    union: ({ options }) => printUnion(options, target, context, hint),
    oneOf: (node) => printOneOf(node, target, context, hint),
    intersection: ({ parts }) => joinTests(dropBareParts(parts, context.lookup).map(inner)),
    not: ({ schema: rejected }) =>
      printTest(
        code`!${printVerdict(rejected, value, context, hint)}`,
        target,
        'not',
        'a value that is not excluded',
      ),
    conditional: ({ when, then, otherwise }) =>
      code`(${printVerdict(when, value, context, hint)} ? ${inner(then)} : ${inner(otherwise)})`,
    unevaluated: ({ base, properties, items }) =>
      joinTests([inner(base), printRest(base, { properties, items }, target, context, hint)]),
    ref: ({ name }) => code`${context.named(name)}(${formatArguments(target)})`,
  }
  return match(schema, cases)
}

/** A function of a value and its faults, for a schema. */
function declareValidator(schema: Schema, context: CheckContext, hint: string): Code {
  if (schema.kind === 'ref') return context.named(schema.name)
  return context.helpers.validate(hint, printFunctionBody(schema, context, hint))
}

export function printFunctionBody(schema: Schema, context: CheckContext, hint: string): Code {
  if (schema.kind === 'array') return printArrayBody(schema, context, hint)
  if (schema.kind === 'object') return printObjectBody(schema, self, context, hint).statements
  return code`return ${printExpression(schema, self, context, hint)}`
}

function printCall(schema: Schema, target: Target, context: CheckContext, hint: string): Code {
  return code`${declareValidator(schema, context, hint)}(${formatArguments(target)})`
}

function formatArguments(target: Target): Code {
  const faults = printFaults(target)
  return faults === undefined ? target.value : code`${target.value}, ${faults}`
}

/** Whether a value is accepted, without faults. */
function printVerdict(schema: Schema, value: Code, context: CheckContext, hint: string): Code {
  return printExpression(schema, { value, faults: undefined }, context, hint)
}

function isPlainObject(node: Schema): boolean {
  return (
    node.kind === 'object' &&
    node.additional.kind === 'any' &&
    node.patterns.length === 0 &&
    node.propertyNames === undefined
  )
}

function printNumber(node: NumberNode, target: Target, { annotate }: CheckContext): Code {
  const { value } = target
  const { integer, minimum, exclusiveMinimum, maximum, exclusiveMaximum, multipleOf } = node
  const format = annotate ? undefined : findFormatTest(node.format, numberFormats)
  const bounds = [
    ['minimum', '>=', minimum],
    ['exclusiveMinimum', '>', exclusiveMinimum],
    ['maximum', '<=', maximum],
    ['exclusiveMaximum', '<', exclusiveMaximum],
  ] as const
  const rest = [
    ...(format === undefined
      ? []
      : [
          printTest(
            code`${format}(${value})`,
            target,
            'format',
            `a number of ${node.format ?? ''}`,
          ),
        ]),
    ...bounds.flatMap(([keyword, sign, bound]) =>
      bound === undefined
        ? []
        : [
            printTest(
              code`${value} ${sign} ${literal(bound)}`,
              target,
              keyword,
              `a number ${sign} ${bound}`,
            ),
          ],
    ),
    ...(multipleOf === undefined
      ? []
      : [
          printTest(
            code`${rules}.isMultiple(${value}, ${literal(multipleOf)})`,
            target,
            'multipleOf',
            `a multiple of ${multipleOf}`,
          ),
        ]),
  ]
  const test = integer ? 'isInteger' : 'isFinite'
  const expected = integer ? 'an integer' : 'a number'
  return printGuarded(code`Number.${test}(${value})`, rest, target, expected)
}

function printString(
  { minLength = 0, maxLength, pattern, format }: StringNode,
  target: Target,
  { annotate, helpers }: CheckContext,
  hint: string,
): Code {
  const { value } = target
  const test = annotate ? undefined : findFormatTest(format, stringFormats)
  const rest = [
    test &&
      printTest(
        code`${test}(${value})`,
        target,
        'format',
        `a string of the format ${format ?? ''}`,
      ),
    pattern !== undefined &&
      printTest(
        code`${declarePattern(pattern, helpers, hint)}.test(${value})`,
        target,
        'pattern',
        `a string that matches ${pattern}`,
      ),
    minLength > 0 &&
      printTest(
        minLength === 1 ? code`${value} !== ''` : code`${rules}.minLength(${value}, ${minLength})`,
        target,
        'minLength',
        `at least ${minLength} character${minLength === 1 ? '' : 's'}`,
      ),
    maxLength !== undefined &&
      printTest(
        code`${rules}.maxLength(${value}, ${maxLength})`,
        target,
        'maxLength',
        `at most ${maxLength} characters`,
      ),
  ].filter((part) => part !== false && part !== undefined)
  return printGuarded(code`typeof ${value} === 'string'`, rest, target, 'a string')
}

function printEnum(
  { values }: EnumNode,
  target: Target,
  { helpers }: CheckContext,
  hint: string,
): Code {
  const { value } = target
  const expected = `one of ${values.map((one) => JSON.stringify(one)).join(', ')}`
  const short = expected.length > 200 ? `${expected.slice(0, 200)}…` : expected
  if (!values.every(isScalar)) {
    const texts = values.map(canonicalize)
    const known = helpers.constant(`${hint} values`, code`new Set(${literal(texts)})`)
    return printTest(code`${known}.has(${rules}.canonicalize(${value}))`, target, 'enum', short)
  }
  if (values.length <= 6) {
    const tests = values.map((one) => code`${value} === ${literal(one)}`)
    const test = tests.length === 0 ? code`false` : join(tests, ' || ')
    return printTest(test, target, 'enum', short)
  }
  const known = helpers.constant(`${hint} values`, code`new Set<unknown>(${literal(values)})`)
  return printTest(code`${known}.has(${value})`, target, 'enum', short)
}

function isScalar(value: Json): boolean {
  return value === null || typeof value !== 'object'
}

/** Scalars are compared in place, and other options are functions. */
function printUnion(
  options: readonly Schema[],
  target: Target,
  context: CheckContext,
  hint: string,
): Code {
  const { value, faults } = target
  const others = options.filter(({ kind }) => kind !== 'null')
  const [only] = others
  if (only !== undefined && others.length === 1 && options.length > 1)
    return code`(${value} === null || ${printExpression(only, target, context, hint)})`
  const tests = options.map((option, index) =>
    isLeaf(option)
      ? printVerdict(option, value, context, hint)
      : code`${declareValidator(option, context, `${hint} ${index + 1}`)}(${value})`,
  )
  if (faults === undefined) return code`(${join(tests, ' || ')})`
  const forms = options.flatMap((option, index) =>
    isLeaf(option) ? [] : [declareValidator(option, context, `${hint} ${index + 1}`)],
  )
  const expected = options.map((option) => describeKind(option)).join(' or ')
  return forms.length === 0
    ? printTest(join(tests, ' || '), target, 'anyOf', expected)
    : code`(${join(tests, ' || ')} || ${rules}.reportClosest(${printFaults(target)}, ${value}, 'anyOf', [${join(forms, ', ')}]))`
}

function isLeaf({ kind }: Schema): boolean {
  return ['any', 'never', 'null', 'boolean', 'number', 'string', 'binary', 'enum'].includes(kind)
}

function describeKind(schema: Schema): string {
  return schema.kind === 'enum'
    ? schema.values.map((value) => JSON.stringify(value)).join(' or ')
    : schema.kind === 'null'
      ? 'null'
      : `a ${schema.kind}`
}

function printOneOf(
  { options, discriminator }: OneOfNode,
  target: Target,
  context: CheckContext,
  hint: string,
): Code {
  const [only, ...others] = options
  if (only === undefined) return printTest(code`false`, target, 'oneOf', 'nothing')
  if (others.length === 0) return printExpression(only, target, context, hint)
  if (discriminator !== undefined) {
    const body = printTagged(options, discriminator, context, hint)
    return code`${context.helpers.validate(`${hint} by tag`, body)}(${formatArguments(target)})`
  }
  const { value, faults } = target
  const forms = options.map((option, index) =>
    declareValidator(option, context, `${hint} ${index + 1}`),
  )
  const count = join(
    forms.map((form) => code`+${form}(${value})`),
    ' + ',
  )
  return faults === undefined
    ? code`(${count} === 1)`
    : code`(${count} === 1 || ${rules}.reportOneOf(${printFaults(target)}, ${value}, [${join(forms, ', ')}]))`
}

function printTagged(
  options: readonly Schema[],
  { property, tags }: NonNullable<OneOfNode['discriminator']>,
  context: CheckContext,
  hint: string,
): Code {
  const cases = options.map((option, index) => {
    const labels = (tags[index] ?? []).map((tag) => code`  case ${literal(tag)}:`)
    return code`${join(labels, '\n')}\n    return ${printOption(option, property, context, `${hint} ${tags[index]?.[0] ?? ''}`)}`
  })
  const tag = code`v[${literal(property)}]`
  const expected = `one of ${tags
    .flat()
    .map((one) => JSON.stringify(one))
    .join(', ')}`
  return code`if (!${rules}.isObject(v)) return ${rules}.report(c, v, 'type', 'an object')
switch (${tag}) {
${join(cases, '\n')}
  default:
    return ${rules}.report(c, ${tag}, 'discriminator', ${literal(expected)}, ${literal(property)})
}`
}

/** An option of which the type and the tag are known. */
function printOption(option: Schema, property: string, context: CheckContext, hint: string): Code {
  if (option.kind !== 'object' || !isPlainObject(option))
    return printExpression(option, self, context, hint)
  const properties = option.properties.filter(
    ({ name, schema }) => name !== property || schema.kind !== 'enum',
  )
  return printObjectBody({ ...option, properties }, self, context, hint).tests
}

/** Validates what a schema and its parts have not evaluated. */
function printRest(
  base: Schema,
  {
    properties,
    items,
  }: { readonly properties?: Schema | undefined; readonly items?: Schema | undefined },
  target: Target,
  context: CheckContext,
  hint: string,
): Code {
  const { helpers, lookup } = context
  const seenBy = (schema: Schema): Code =>
    printEvaluated(schema, {
      inner: (part) => declareValidator(part, context, `${hint} part`),
      named: (name) =>
        helpers.evaluate(`seen ${name}`, name, () => code`return ${seenBy(lookup(name))}(v)`),
    })
  const rest = [properties, items].map((schema) =>
    schema === undefined ? code`undefined` : declareValidator(schema, context, `${hint} rest`),
  )
  const module = namespace('unevaluated', './unevaluated.js')
  return code`${module}.validateRest(${target.value}, ${printFaults(target) ?? code`undefined`}, ${seenBy(base)}, ${join(rest, ', ')})`
}

export const compile: Compile = {
  expression: printExpression,
  validate: declareValidator,
  rest: printRest,
}

/** The test of a format. Undefined for a format that is an annotation. */
function findFormatTest(
  format: string | undefined,
  tests: ReadonlyMap<string, string>,
): Code | undefined {
  const name = format === undefined ? undefined : tests.get(format)
  if (name === undefined) return undefined
  const module = name.endsWith('ostname')
    ? namespace('hosts', './host-names.js')
    : namespace('formats', './format-tests.js')
  return code`${module}.is${name.charAt(0).toUpperCase()}${name.slice(1)}`
}
