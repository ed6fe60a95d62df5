import { code, join, type Code } from '../../emit/code.js'
import type { ArrayNode } from '../../ir/schema.js'
import { orFault, rules, self, type CheckContext } from './target.js'

/** The body of the function that validates an array. */
export function arrayBody(node: ArrayNode, context: CheckContext, hint: string): Code {
  const { unevaluated, ...base } = node
  const { prefix, contains, minItems, maxItems, unique } = base
  const tests = [
    minItems !== undefined &&
      orFault(code`v.length >= ${minItems}`, self, 'minItems', `at least ${minItems} elements`),
    maxItems !== undefined &&
      orFault(code`v.length <= ${maxItems}`, self, 'maxItems', `at most ${maxItems} elements`),
    unique && orFault(code`${rules}.isUnique(v)`, self, 'uniqueItems', 'elements that all differ'),
    contains &&
      orFault(
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
  const wrong = code`${rules}.fault(c, v, 'type', 'an array')`
  const each = loop(node, context, hint)
  if (each === undefined) return code`return Array.isArray(v) ? ${start} : ${wrong}`
  const first = tests.length === 0 ? '' : code`if (!(${start})) return false\n`
  return code`if (!Array.isArray(v)) return ${wrong}
${first}${each}
return true`
}

/** A loop over the elements after the prefix. */
function loop({ prefix, items }: ArrayNode, context: CheckContext, hint: string): Code | undefined {
  if (items.kind === 'any') return undefined
  const target = { value: code`v[i]`, faults: code`c`, key: code`i` }
  const test = context.compile.expression(items, target, context, `${hint} item`)
  return test.text === 'true'
    ? undefined
    : code`for (let i = ${prefix.length}; i < v.length; i++) if (!${test}) return false`
}
