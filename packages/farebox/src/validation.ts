import type { Check, Issue } from '@farebox/types/check'
import { operations, type Operation, type OperationId } from '@farebox/types/operations'
import { FareboxError } from './error.js'

/**
 * Validates inputs and responses against the contract. Create it with `validation` of
 * `farebox/validation`.
 */
export type Validation = {
  /** Throws `FareboxError` with the code `invalid_input`, before anything is sent. */
  readonly validateInput: (
    id: OperationId,
    input: Readonly<Record<string, unknown>>,
  ) => Promise<void>
  /**
   * Throws `FareboxError` with the code `invalid_response`: the service did the work, but its
   * response does not match the contract. A field that is null counts as absent.
   */
  readonly validateResponse: (id: OperationId, response: Response, value: unknown) => Promise<void>
}

export type ValidationOptions = {
  /** Default true. */
  readonly requests?: boolean
  /** Default true. */
  readonly responses?: boolean
}

type Checks = {
  readonly path?: Check<unknown>
  readonly query?: Check<unknown>
  readonly headers?: Check<unknown>
  readonly body?: Readonly<Record<string, Check<unknown>>>
  readonly responses?: Readonly<Record<string, Readonly<Record<string, Check<unknown>>>>>
}

/**
 * Validates requests, responses or both with `@farebox/types/check`, which is loaded with the first
 * call.
 * The content of files is not checked.
 *
 * @example
 * ```ts
 * const farebox = createFarebox({ baseUrl, apiKey, validation: validation() })
 * ```
 */
export function validation({
  requests = true,
  responses = true,
}: ValidationOptions = {}): Validation {
  let loading: Promise<Readonly<Record<OperationId, Checks>>> | undefined
  const findChecks = async (id: OperationId): Promise<Checks> => (await (loading ??= load()))[id]

  return {
    validateInput: async (id, input) => {
      if (!requests) return
      const checks = await findChecks(id)
      const operation: Operation = operations[id]
      const parts = splitInput(operation, input)
      const issues = (['path', 'query', 'headers'] as const).flatMap((part) =>
        findIssues(checks[part], parts[part], mapFields(operation)),
      )
      const body =
        parts.body === undefined
          ? []
          : findIssues(checks.body?.[operation.body?.contentType ?? ''], parts.body)
      throwIssues(id, 'invalid_input', [...issues, ...body], { attempts: 0 })
    },

    validateResponse: async (id, response, value) => {
      if (!responses || value instanceof Response) return
      const { responses: declaredResponses = {} } = await findChecks(id)
      const { status } = response
      const byType =
        declaredResponses[status] ??
        declaredResponses[`${Math.floor(status / 100)}XX`] ??
        declaredResponses['default']
      const mediaType =
        (response.headers.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
      const requestId = response.headers.get('x-request-id')
      const check = byType?.[mediaType]
      const issues = findIssues(check, value)
      // services write null for a field that is absent
      const isWrong = issues.length > 0 && hasOtherIssues(check, value)
      throwIssues(id, 'invalid_response', isWrong ? issues : [], {
        status,
        body: value,
        mayHaveArrived: true,
        ...(requestId !== null && { requestId }),
      })
    },
  }
}

async function load(): Promise<Readonly<Record<OperationId, Checks>>> {
  const { checks } = await import('@farebox/types/check/operations')
  return checks
}

/** Splits the flat input into the parts of the request. */
function splitInput({ parameters, body }: Operation, input: Readonly<Record<string, unknown>>) {
  const pick = (where: string, rename: (name: string) => string = (name) => name) =>
    Object.fromEntries(
      parameters
        .filter(
          (parameter) =>
            parameter.in === where &&
            parameter.credential !== true &&
            input[parameter.field] !== undefined,
        )
        .map(({ name, field }) => [rename(name), input[field]]),
    )
  return {
    path: pick('path'),
    query: pick('query'),
    headers: pick('header', (name) => name.toLowerCase()),
    body: pickBody(body, input),
  }
}

function pickBody(body: Operation['body'], input: Readonly<Record<string, unknown>>): unknown {
  if (body === undefined) return undefined
  if (body.flatten === 'body') return input['body']
  const files: readonly string[] = body.files ?? []
  const fields = (body.fields ?? []).filter((field) => input[field] !== undefined)
  // a path or a stream is read only when it is sent
  return Object.fromEntries(
    fields.map((field) => [field, files.includes(field) ? new Uint8Array() : input[field]]),
  )
}

/** Maps the name of a parameter to its field of the input. */
function mapFields({ parameters }: Operation): ReadonlyMap<string, string> {
  return new Map(
    parameters.map(({ name, field, in: where }) => [
      where === 'header' ? name.toLowerCase() : name,
      field,
    ]),
  )
}

function findIssues(
  check: Check<unknown> | undefined,
  value: unknown,
  fields?: ReadonlyMap<string, string>,
): string[] {
  return listIssues(check, value).map(({ path, message }) => {
    const [first, ...rest] = path.map(String)
    const where =
      first === undefined ? 'the whole' : [fields?.get(first) ?? first, ...rest].join('.')
    return `${where}: ${message}`
  })
}

function listIssues(check: Check<unknown> | undefined, value: unknown): readonly Issue[] {
  const checked = check?.(value)
  return checked === undefined || checked.ok ? [] : checked.issues
}

/** Whether a value is wrong even if its fields that are null are absent, or may be. */
function hasOtherIssues(check: Check<unknown> | undefined, value: unknown): boolean {
  return listIssues(check, omitNulls(value)).some(
    ({ path }) =>
      path.reduce<unknown>((part, name) => (Object(part) as Fields)[name], value) !== null,
  )
}

type Fields = Readonly<Record<PropertyKey, unknown>>

/** A copy without the fields that are null. */
function omitNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(omitNulls)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, field]: [string, unknown]) =>
      field === null ? [] : [[name, omitNulls(field)]],
    ),
  )
}

function throwIssues(
  operation: OperationId,
  code: 'invalid_input' | 'invalid_response',
  issues: readonly string[],
  facts: Omit<ConstructorParameters<typeof FareboxError>[1], 'code' | 'operation'>,
): void {
  if (issues.length === 0) return
  const what =
    code === 'invalid_input'
      ? 'the input does not match the contract, and nothing was sent'
      : 'the response does not match the contract'
  throw new FareboxError(`${operation}: ${what}. ${issues.join('; ')}`, {
    code,
    operation,
    ...facts,
  })
}
