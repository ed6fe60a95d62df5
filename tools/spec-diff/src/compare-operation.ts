import type { Operation } from '@farebox/codegen'
import type { Code } from './catalogue.js'
import { compareBody } from './compare-body.js'
import { compareParameters } from './compare-parameters.js'
import { compareResponses } from './compare-responses.js'
import { compareServers } from './compare-servers.js'
import { compareSecurity } from './compare-security.js'
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
  compareServers(base.servers, head.servers, note)
  compareFacts(base, head, note)
  compareParameters(base, head, pair, note)
  compareBody(base, head, pair, note)
  compareResponses(base, head, pair, note)
}

const facts: Readonly<Record<string, Code>> = {
  'x-rate-limit': 'operation-rate-limit-changed',
  'x-price-usd': 'operation-price-changed',
  'x-max-body-bytes': 'operation-file-limit-changed',
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
