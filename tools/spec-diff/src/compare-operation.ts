import type { Operation } from '@farebox/codegen'
import type { Code } from './catalogue.js'
import { compareBody } from './compare-body.js'
import { compareParameters } from './compare-parameters.js'
import { compareResponses } from './compare-responses.js'
import { noteFor, text, type Note, type Pair } from './note-operation.js'

/** Reports the changes of an operation that both documents have. */
export function compareOperation(base: Operation, head: Operation, pair: Pair): void {
  const note = noteFor(base, head, pair)
  if (base.path !== head.path)
    note('operation-path-changed', `the path was ${base.path} and is ${head.path} now`, {
      from: base.path,
      to: head.path,
    })
  if (base.method !== head.method)
    note('operation-method-changed', `the method was ${base.method} and is ${head.method} now`, {
      from: base.method,
      to: head.method,
    })
  if (base.deprecated !== head.deprecated)
    note(
      head.deprecated ? 'operation-deprecated' : 'operation-undeprecated',
      `it is ${head.deprecated ? '' : 'no longer '}deprecated`,
    )
  if (base.summary !== head.summary || base.description !== head.description)
    note('operation-description-changed', 'it has another description')
  if (text(base.tags) !== text(head.tags))
    note('operation-tags-changed', `its tags are ${head.tags.join(', ') || 'none'} now`, {
      from: base.tags,
      to: head.tags,
    })
  if (base.idempotent !== head.idempotent)
    note(
      head.idempotent ? 'operation-idempotent' : 'operation-not-idempotent',
      `it may ${head.idempotent ? '' : 'no longer '}be repeated`,
    )
  compareSecurity(base, head, note)
  compareFacts(base, head, note)
  compareParameters(base, head, pair, note)
  compareBody(base, head, pair, note)
  compareResponses(base, head, pair, note)
}

function compareSecurity(base: Operation, head: Operation, note: Note): void {
  const sets = ({ security }: Operation) => security.map((schemes) => schemes.toSorted())
  const [before, after] = [sets(base), sets(head)]
  // a caller that satisfies fewer schemes also satisfies a set that contains them
  const admits = (all: readonly (readonly string[])[], one: readonly string[]) =>
    all.some((schemes) => schemes.every((scheme) => one.includes(scheme)))
  const refused = before.filter((one) => !admits(after, one))
  const admitted = after.filter((one) => !admits(before, one))
  const words = (one: readonly string[]) => one.join(' and ') || 'no credentials'
  if (refused.length > 0)
    note(
      'security-narrowed',
      `calls with ${refused.map(words).join(' or ')} are no longer admitted`,
      { from: before, to: after },
    )
  if (admitted.length > 0)
    note(
      'security-widened',
      `calls with ${admitted.map(words).join(' or ')} are admitted too now`,
      { from: before, to: after },
    )
}

const facts: Readonly<Record<string, Code>> = {
  'x-rate-limit': 'operation-rate-limit-changed',
  'x-price-usd': 'operation-price-changed',
  'x-max-file-bytes': 'operation-file-limit-changed',
}

function compareFacts(base: Operation, head: Operation, note: Note): void {
  for (const name of new Set([...Object.keys(base.extensions), ...Object.keys(head.extensions)])) {
    const [before, after] = [base.extensions[name], head.extensions[name]]
    // reported by its effect on the operation
    if (text(before) === text(after) || name === 'x-idempotent') continue
    note(
      facts[name] ?? 'operation-fact-changed',
      `${name} was ${before === undefined ? 'not there' : text(before)} and is ${after === undefined ? 'gone' : text(after)} now`,
      { from: before, to: after },
    )
  }
}
