import { code, type Code, join } from '../../emit/code.js'
import { literal } from '../../emit/literal.js'
import type { ArrayNode, ObjectNode, Property, Schema } from '../../ir/schema.js'
import {
  joinTests,
  type CheckContext,
  printTest,
  declarePattern,
  printGuarded,
  rules,
  self,
  type Target,
} from './target.js'

/** Names that every object inherits. */
const inherited = new Set(Object.getOwnPropertyNames(Object.prototype))

/**
 * The test of an object as an expression, without its rules of further properties, and as a body.
 * `tests` are those of a value that is known to be an object.
 */
export function printObjectBody(
  node: ObjectNode,
  target: Target,
  context: CheckContext,
  hint: string,
): { readonly expression: Code; readonly statements: Code; readonly tests: Code } {
  const tests = [
    ...node.properties.map((property) => printPropertyTest(property, target, context, hint)),
    ...printObjectRules(node, target, context, hint),
  ]
  const parts = splitLong(tests, target, context, hint)
  const whole = printGuarded(code`${rules}.isObject(v)`, parts, target, 'an object')
  const each = printKeyTests(node, context, hint)
  if (each.length === 0)
    return { expression: whole, statements: code`return ${whole}`, tests: joinTests(parts) }
  const named = joinTests(parts)
  const first = named.text === 'true' ? '' : code`if (!${named}) return false\n`
  return {
    expression: whole,
    tests: named,
    statements: code`if (!${rules}.isObject(v)) return ${rules}.report(c, v, 'type', 'an object')
${first}for (const k of Object.keys(v)) {
  ${join(each, '\n')}
}
return true`,
  }
}

/** Tests in functions of their own, as the compiler rejects very long ones. */
function splitLong(
  tests: readonly Code[],
  { faults }: Target,
  { helpers }: CheckContext,
  hint: string,
): readonly Code[] {
  const stated = tests.filter(({ text }) => text !== 'true')
  if (stated.length <= longest) return stated
  return Array.from({ length: Math.ceil(stated.length / longest) }, (_, index) => {
    const part = stated.slice(index * longest, (index + 1) * longest)
    const name = helpers.validate(`${hint} part`, code`return ${joinTests(part)}`)
    return faults === undefined ? code`${name}(v)` : code`${name}(v, ${faults})`
  })
}

const longest = 60

function printPropertyTest(
  { name, schema, required }: Property,
  { faults }: Target,
  context: CheckContext,
  hint: string,
): Code {
  const value = printMember(name)
  const target = { value, faults, key: literal(name) }
  const test = context.compile.expression(schema, target, context, `${hint} ${name}`)
  const missing = printTest(
    code`false`,
    { ...target, value: code`undefined` },
    'required',
    'a value',
  )
  if (inherited.has(name)) {
    const otherwise = required ? missing : code`true`
    return code`(${printPresenceTest(name)} ? ${test} : ${otherwise})`
  }
  if (!required)
    return test.text === 'true'
      ? test
      : code`(${value} === undefined && !${printPresenceTest(name)} || ${test})`
  return rejectsUndefined(schema, context)
    ? test
    : joinTests([
        printTest(printPresenceTest(name), { ...target, value }, 'required', 'a value'),
        test,
      ])
}

function printMember(name: string): Code {
  return /^[A-Za-z_$][\w$]*$/.test(name) && name !== '__proto__'
    ? code`v.${name}`
    : code`v[${literal(name)}]`
}

function printPresenceTest(name: string): Code {
  return inherited.has(name)
    ? code`Object.hasOwn(v, ${literal(name)})`
    : code`(${literal(name)} in v)`
}

/** Whether the test of the value also finds out that it is missing. */
function rejectsUndefined(schema: Schema, context: CheckContext): boolean {
  const target = schema.kind === 'ref' ? context.lookup(schema.name) : schema
  if (target.kind === 'union' || target.kind === 'oneOf')
    return target.options.every((option) => rejectsUndefined(option, context))
  return ['null', 'boolean', 'number', 'string', 'binary', 'enum', 'array', 'object'].includes(
    target.kind,
  )
}

function printObjectRules(
  node: ObjectNode,
  { faults }: Target,
  context: CheckContext,
  hint: string,
): readonly Code[] {
  const here = { value: code`v`, faults }
  const printRequiredTest = (name: string): Code =>
    printTest(
      printPresenceTest(name),
      { value: code`undefined`, faults, key: literal(name) },
      'required',
      'a value',
    )
  const { minProperties, maxProperties, dependentRequired, dependentSchemas } = node
  const size = code`Object.keys(v).length`
  return [
    ...node.alsoRequired.map(printRequiredTest),
    ...(minProperties === undefined
      ? []
      : [
          printTest(
            code`${size} >= ${minProperties}`,
            here,
            'minProperties',
            `at least ${minProperties} properties`,
          ),
        ]),
    ...(maxProperties === undefined
      ? []
      : [
          printTest(
            code`${size} <= ${maxProperties}`,
            here,
            'maxProperties',
            `at most ${maxProperties} properties`,
          ),
        ]),
    ...dependentRequired.flatMap(({ name, requires }) =>
      requires.length === 0
        ? []
        : [code`(!${printPresenceTest(name)} || ${joinTests(requires.map(printRequiredTest))})`],
    ),
    ...dependentSchemas.map(
      ({ name, schema }) =>
        code`(!${printPresenceTest(name)} || ${context.compile.expression(schema, here, context, `${hint} with ${name}`)})`,
    ),
  ]
}

/** Statements about each key `k`. */
function printKeyTests(node: ObjectNode, context: CheckContext, hint: string): readonly Code[] {
  const { patterns, propertyNames } = node
  const on = (schema: Schema, what: string): Code =>
    context.compile.expression(
      schema,
      { value: code`v[k]`, faults: code`c`, key: code`k` },
      context,
      `${hint} ${what}`,
    )
  const names =
    propertyNames &&
    context.compile.expression(
      propertyNames,
      { value: code`k`, faults: code`c`, key: code`k` },
      context,
      `${hint} name`,
    )
  const tests = patterns.map(({ pattern, schema }) => ({
    matches: code`${declarePattern(pattern, context.helpers, hint)}.test(k)`,
    test: on(schema, 'value'),
  }))
  return [
    names && names.text !== 'true' && code`if (!${names}) return false`,
    ...tests.map(
      ({ matches, test }) => test.text !== 'true' && code`if (${matches} && !${test}) return false`,
    ),
    printRestTest(
      node,
      tests.map(({ matches }) => matches),
      on,
      context,
      hint,
    ),
  ].filter((test) => test !== false && test !== undefined)
}

/** The statement about keys that neither a property nor a pattern is for. */
function printRestTest(
  { properties, additional }: ObjectNode,
  matching: readonly Code[],
  on: (schema: Schema, what: string) => Code,
  context: CheckContext,
  hint: string,
): Code | false {
  if (additional.kind === 'any') return false
  const target = { value: code`v[k]`, faults: code`c`, key: code`k` }
  const test =
    additional.kind === 'never'
      ? printTest(code`false`, target, 'additionalProperties', 'no further property')
      : on(additional, 'value')
  if (test.text === 'true') return false
  const named = properties.length === 0 ? [] : [printNameTest(properties, context, hint)]
  const known = [...named, ...matching]
  return known.length === 0
    ? code`if (!${test}) return false`
    : code`if (!(${join(known, ' || ')}) && !${test}) return false`
}

function printNameTest(
  properties: readonly Property[],
  { helpers }: CheckContext,
  hint: string,
): Code {
  const names = properties.map(({ name }) => name)
  if (names.length <= 8)
    return join(
      names.map((name) => code`k === ${literal(name)}`),
      ' || ',
    )
  return code`${helpers.constant(`${hint} names`, code`new Set(${literal(names)})`)}.has(k)`
}

/** The body of the function that validates an array. */
export function printArrayBody(node: ArrayNode, context: CheckContext, hint: string): Code {
  const { unevaluated, ...base } = node
  const { prefix, contains, minItems, maxItems, unique } = base
  const tests = [
    minItems !== undefined &&
      printTest(code`v.length >= ${minItems}`, self, 'minItems', `at least ${minItems} elements`),
    maxItems !== undefined &&
      printTest(code`v.length <= ${maxItems}`, self, 'maxItems', `at most ${maxItems} elements`),
    unique &&
      printTest(code`${rules}.isUnique(v)`, self, 'uniqueItems', 'elements that all differ'),
    contains &&
      printTest(
        code`${rules}.isContained(v, ${context.compile.validate(contains.schema, context, `${hint} contained`)}, ${contains.min}${contains.max === undefined ? '' : code`, ${contains.max}`})`,
        self,
        'contains',
        `at least ${contains.min}${contains.max === undefined ? '' : ` and at most ${contains.max}`} elements of one kind`,
      ),
    ...prefix.map((schema, index) => {
      const target = { value: code`v[${index}]`, faults: code`c`, key: code`${index}` }
      const test = context.compile.expression(schema, target, context, `${hint} ${index + 1}`)
      return test.text !== 'true' && code`(v.length <= ${index} || ${test})`
    }),
    unevaluated && context.compile.rest(base, { items: unevaluated }, self, context, hint),
  ].filter((test) => test !== false && test !== undefined)
  const start = tests.length === 0 ? code`true` : join(tests, ' && ')
  const wrong = code`${rules}.report(c, v, 'type', 'an array')`
  const each = printLoop(node, context, hint)
  if (each === undefined) return code`return Array.isArray(v) ? ${start} : ${wrong}`
  const first = tests.length === 0 ? '' : code`if (!(${start})) return false\n`
  return code`if (!Array.isArray(v)) return ${wrong}
${first}${each}
return true`
}

/** Prints a loop over the elements after the prefix. */
function printLoop(
  { prefix, items }: ArrayNode,
  context: CheckContext,
  hint: string,
): Code | undefined {
  if (items.kind === 'any') return undefined
  const target = { value: code`v[i]`, faults: code`c`, key: code`i` }
  const test = context.compile.expression(items, target, context, `${hint} item`)
  return test.text === 'true'
    ? undefined
    : code`for (let i = ${prefix.length}; i < v.length; i++) if (!${test}) return false`
}
