import { code, join, namespace, type Code } from '../../emit/code.js'
import type { NumberNode, StringNode } from '../../ir/schema.js'

/** The validator of a Date, or of a value of Temporal. */
export function dateExpression(as: NonNullable<StringNode['as']>): Code {
  if (as === 'Date') return code`${namespace('checks', './checks.js')}.date()`
  return code`${namespace('temporal', './temporal.js')}.${as === 'Instant' ? 'instant' : 'plainDate'}()`
}

/** The validator of a bigint. A number of the document is compared with it without loss. */
export function bigintExpression(node: NumberNode, annotate: boolean): Code {
  const { minimum, exclusiveMinimum, maximum, exclusiveMaximum, multipleOf } = node
  const rules = { gte: minimum, gt: exclusiveMinimum, lte: maximum, lt: exclusiveMaximum, multipleOf, any: annotate || undefined }
  const stated = Object.entries(rules).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${String(value)}`]))
  return code`${namespace('bigints', './bigints.js')}.int64(${stated.length > 0 && code`{ ${join(stated, ', ')} }`})`
}
