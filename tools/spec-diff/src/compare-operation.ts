import type { Content, Operation, Parameter, Response } from '@farebox/codegen'
import type { Code } from './catalogue.js'
import type { Direction } from './change.js'
import { compareSchema } from './compare-schema.js'
import type { ChangeList } from './change-list.js'
import type { Side } from './side.js'

/** Both documents, and the list of changes. */
export type Pair = { readonly changes: ChangeList; readonly base: Side; readonly head: Side }

type Note = (code: Code, sentence: string, direction?: Direction, gone?: boolean) => void

/** Reports the changes of an operation that both documents have. */
export function compareOperation(base: Operation, head: Operation, pair: Pair): void {
  const id = head.id
  const note: Note = (code, sentence, direction = 'none', gone = false) =>
    pair.changes.note(code, `${id}: ${sentence}`, { side: gone ? 'base' : 'head', origin: gone ? base.origin : head.origin }, direction, id)

  if (base.path !== head.path) note('operation-path-changed', `the path was ${base.path} and is ${head.path} now`)
  if (base.method !== head.method) note('operation-method-changed', `the method was ${base.method} and is ${head.method} now`)
  if (base.deprecated !== head.deprecated)
    note(head.deprecated ? 'operation-deprecated' : 'operation-undeprecated', `it is ${head.deprecated ? '' : 'no longer '}deprecated`)
  if (base.summary !== head.summary || base.description !== head.description)
    note('operation-description-changed', 'it has another description')
  if (text(base.tags) !== text(head.tags)) note('operation-tags-changed', `its tags are ${head.tags.join(', ') || 'none'} now`)
  if (base.idempotent !== head.idempotent)
    note(head.idempotent ? 'operation-idempotent' : 'operation-not-idempotent', `it may ${head.idempotent ? '' : 'no longer '}be repeated`)
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
  if (refused.length > 0) note('security-narrowed', `calls with ${refused.map(words).join(' or ')} are no longer admitted`, 'request')
  if (admitted.length > 0) note('security-widened', `calls with ${admitted.map(words).join(' or ')} are admitted too now`, 'request')
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
    )
  }
}

function compareParameters(base: Operation, head: Operation, pair: Pair, note: Note): void {
  const same = (one: Parameter, other: Parameter) => one.in === other.in && nameOf(one) === nameOf(other)
  const moved = (one: Parameter, all: readonly Parameter[]) => all.find((other) => other.in !== one.in && nameOf(other) === nameOf(one))
  for (const parameter of head.parameters) {
    const title = `the ${parameter.in} parameter ${parameter.name}`
    const before = base.parameters.find((one) => same(one, parameter))
    if (before) {
      compareParameter(before, parameter, title, pair, head.id, note)
      continue
    }
    const from = moved(parameter, base.parameters)
    if (from) note('request-parameter-moved', `${parameter.name} was in the ${from.in} and is in the ${parameter.in} now`, 'request')
    else
      note(
        parameter.required && !parameter.credential ? 'request-required-parameter-added' : 'request-parameter-added',
        `${title} is new${parameter.required ? ' and required' : ''}`,
        'request',
      )
  }
  for (const parameter of base.parameters) {
    if (head.parameters.some((one) => same(parameter, one)) || moved(parameter, head.parameters)) continue
    note('request-parameter-removed', `the ${parameter.in} parameter ${parameter.name} is gone`, 'request', true)
  }
}

function compareParameter(
  base: Parameter,
  head: Parameter,
  title: string,
  { changes, base: before, head: after }: Pair,
  operation: string,
  note: Note,
): void {
  if (base.required !== head.required)
    note(
      head.required ? 'request-parameter-required' : 'request-parameter-optional',
      `${title} is ${head.required ? 'required' : 'optional'} now`,
      'request',
    )
  const style = ({ style, explode, allowReserved, mediaType }: Parameter) => text([style, explode, allowReserved, mediaType ?? null])
  if (style(base) !== style(head)) note('request-parameter-style-changed', `${title} has another style now`, 'request')
  if (base.credential !== head.credential)
    note('request-parameter-credential-changed', `${title} is ${head.credential ? '' : 'no longer '}a credential`, 'request')
  if (base.field !== head.field)
    note('request-field-renamed', `${title} was the field ${base.field} of the input and is ${head.field} now`, 'request')
  if (base.notes.description !== head.notes.description)
    changes.note(
      'description-changed',
      `${operation}: ${title} has another description`,
      { side: 'head', origin: head.notes.origin },
      'both',
      operation,
    )
  compareSchema(base.schema, head.schema, `${operation}: ${title}`, { changes, base: before, head: after, direction: 'request', operation })
}

function compareBody(base: Operation, head: Operation, pair: Pair, note: Note): void {
  const [before, after] = [base.body, head.body]
  if (!before && !after) return
  if (!before || !after) {
    if (after)
      note(
        after.required ? 'request-required-body-added' : 'request-body-added',
        `it takes a body now${after.required ? ', which is required' : ''}`,
        'request',
      )
    else note('request-body-removed', 'it takes no body any more', 'request', true)
    return
  }
  if (before.required !== after.required)
    note(
      after.required ? 'request-body-required' : 'request-body-optional',
      `the body is ${after.required ? 'required' : 'optional'} now`,
      'request',
    )
  if (before.flatten !== after.flatten)
    note(
      'request-body-flattening-changed',
      `the input takes the body ${after.flatten === 'body' ? 'whole' : 'field by field'} now`,
      'request',
    )
  if (before.description !== after.description) note('operation-description-changed', 'its body has another description')
  const [first, now] = [before.contents[0]?.mediaType, after.contents[0]?.mediaType]
  const kept = after.contents.some(({ mediaType }) => mediaType === first)
  if (first !== now && kept)
    note('request-media-type-preferred', `the body is sent as ${now ?? 'nothing'} now, and no longer as ${first ?? 'nothing'}`, 'request')
  compareContents(before.contents, after.contents, 'request', `${head.id}: the body`, pair, head.id, note)
}

function compareContents(
  base: readonly Content[],
  head: readonly Content[],
  direction: 'request' | 'response',
  where: string,
  pair: Pair,
  operation: string,
  note: Note,
): void {
  const { changes, base: before, head: after } = pair
  for (const content of head) {
    const from = base.find(({ mediaType }) => mediaType === content.mediaType)
    if (!from) {
      note(`${direction}-media-type-added`, `${bare(where)} may also be ${content.mediaType} now`, direction)
      continue
    }
    const title = head.length > 1 ? `${where} (${content.mediaType})` : where
    compareSchema(from.schema, content.schema, title, { changes, base: before, head: after, direction, operation })
    if (direction === 'request' && text(from.encoding) !== text(content.encoding))
      note('request-encoding-changed', `${bare(where)} has another encoding now`, direction)
    if (text(from.examples.map(({ value }) => value)) !== text(content.examples.map(({ value }) => value)))
      changes.note(
        'examples-changed',
        `${title} has other examples`,
        { side: 'head', origin: content.schema.notes.origin },
        'both',
        operation,
      )
  }
  for (const { mediaType } of base) {
    if (!head.some((content) => content.mediaType === mediaType))
      note(`${direction}-media-type-removed`, `${bare(where)} can no longer be ${mediaType}`, direction, true)
  }
}

function compareResponses(base: Operation, head: Operation, pair: Pair, note: Note): void {
  for (const response of head.responses) {
    const { status } = response
    const before = base.responses.find((one) => one.status === status)
    if (!before) {
      note(
        isSuccess(response) ? 'response-success-status-added' : 'response-error-status-added',
        `it may respond with ${status} now`,
        'response',
      )
      continue
    }
    if (before.description !== response.description) note('operation-description-changed', `the response ${status} has another description`)
    compareHeaders(before, response, pair, head.id, note)
    compareContents(before.contents, response.contents, 'response', `${head.id}: the response ${status}`, pair, head.id, note)
  }
  for (const response of base.responses) {
    if (head.responses.some(({ status }) => status === response.status)) continue
    note(
      isSuccess(response) ? 'response-success-status-removed' : 'response-error-status-removed',
      `it no longer answers ${response.status}`,
      'response',
      true,
    )
  }
}

function compareHeaders(base: Response, head: Response, { changes, base: before, head: after }: Pair, operation: string, note: Note): void {
  const find = ({ headers }: Response, wanted: string) => headers.find(({ name }) => name.toLowerCase() === wanted.toLowerCase())
  const of = `of the response ${head.status}`
  for (const header of head.headers) {
    const from = find(base, header.name)
    if (!from) note('response-header-added', `the header ${header.name} ${of} is new`, 'response')
    else {
      if (from.required !== header.required)
        note(
          header.required ? 'response-header-required' : 'response-header-optional',
          `the header ${header.name} ${of} is ${header.required ? 'always' : 'not always'} there now`,
          'response',
        )
      if (from.description !== header.description)
        note('operation-description-changed', `the header ${header.name} ${of} has another description`)
      compareSchema(from.schema, header.schema, `${operation}: the header ${header.name} ${of}`, {
        changes,
        base: before,
        head: after,
        direction: 'response',
        operation,
      })
    }
  }
  for (const { name } of base.headers)
    if (!find(head, name)) note('response-header-removed', `the header ${name} ${of} is gone`, 'response', true)
}

function isSuccess({ status }: Response): boolean {
  return String(status).startsWith('2')
}

/** Header names are case-insensitive. */
function nameOf({ in: place, name }: Parameter): string {
  return place === 'header' ? name.toLowerCase() : name
}

/** Without the operation's id, which a note puts before its sentence. */
function bare(where: string): string {
  return where.replace(/^[^:]+: /, '')
}

function text(value: unknown): string {
  return JSON.stringify(value) ?? 'nothing'
}
