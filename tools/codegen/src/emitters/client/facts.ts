import { block, code, namespace, type Code } from '../../emit/code.js'
import {
  createSharing,
  exportConstants,
  nameParameter,
  nameParameters,
  nameResponse,
  nameResponses,
} from '../../emit/constants.js'
import { oncePer } from '../../emit/schemas.js'
import { oncePerParameter, listOperationFacts } from '../../emit/operation-facts.js'
import type { Api, Operation, Parameter, Response } from '../../ir/api.js'
import type { Json } from '../../ir/schema.js'
import { chooseEncoder, printBody } from './body-facts.js'
import { listParameterEntries } from './parameter-facts.js'
import { printObject, printRecord, type Entry } from './records.js'
import { formatAcceptHeader, printResponse } from './response-facts.js'
import { createImporter, type RuntimeImports } from './runtime-imports.js'
import { createValueModules } from './values.js'

/**
 * One const for each operation: its facts, and imports of the runtime functions that it needs, so
 * that a bundler drops those of unused operations. `local` returns a local name that no operation
 * has. `isChecked`: values that would arrive changed are rejected.
 */
export function* printFacts(
  api: Api,
  local: (name: string) => string,
  isChecked: boolean,
): Iterable<Code> {
  const importFrom = createImporter(local)
  const { mark, statements } = createSharing()
  const runtime: RuntimeImports = {
    call: importFrom('call'),
    parameters: importFrom('parameters'),
    serialize: importFrom('serialize'),
    body: importFrom('body'),
    decode: importFrom('decode'),
    more: importFrom,
    isChecked,
    values: createValueModules(local),
    revivers: namespace(local('revivers'), './values.js'),
  }
  const one = runtime.call('ParameterFacts', true)
  const parts: SharedParts = {
    share: mark,
    printParameter: oncePerParameter(api, (parameter) =>
      mark(
        printRecord(listParameterEntries(api, parameter, runtime)),
        one,
        nameParameter(parameter),
      ),
    ),
    printReaders: oncePer((contents) =>
      mark(
        printResponse(api, contents, runtime),
        runtime.call('ResponseReaders', true),
        nameResponse(api, contents),
      ),
    ),
  }
  const type = runtime.call('OperationFacts', true)
  const all = local('all')
  const ids = api.operations.map(({ id }) => id)
  const { declare, rest } = exportConstants([...ids, all])
  const each = api.operations.map((operation) => ({
    name: operation.id,
    value: printObject(listEntries(api, operation, runtime, parts)),
    declare: (value: Code) => declare({ name: operation.id, value, type }),
  }))
  const every = block(
    ids.map((id) => code`${id}`),
    '[]',
  )
  yield* statements(each, {
    declare: (name, value, as) => code`const ${name}: ${as} = ${value}`,
    taken: [all],
  })
  yield declare({
    name: all,
    value: every,
    type: code`readonly ${type}[]`,
    comment: code`/** All of them. */\n`,
  })
  yield* rest()
}

/** Parts that several operations may have, which are printed once. */
type SharedParts = {
  readonly printParameter: (parameter: Parameter) => Code
  /** Prints the readers of the contents of a response. */
  readonly printReaders: (contents: Response['contents']) => Code
  readonly share: (part: Code, type: Code, name: string) => Code
}

function listEntries(
  api: Api,
  operation: Operation,
  runtime: RuntimeImports,
  { printParameter, printReaders, share }: SharedParts,
): readonly Entry[] {
  const { parameters, body, responses, extensions } = operation
  const accept = formatAcceptHeader(responses)
  const one = runtime.call('ParameterFacts', true)
  // the path is built before the query
  const inOrder = parameters
    .filter(({ credential }) => !credential)
    .toSorted((one, other) => Number(one.in !== 'path') - Number(other.in !== 'path'))
  return [
    ...listOperationFacts(operation)
      .filter(([name]) => factsOfCalls.has(name))
      // a fragment is never sent, and would swallow the query
      .map(([name, value]): Entry => [name, name === 'path' ? dropFragment(operation) : value]),
    ['maxUsd', operation.payment?.capUsd],
    ['limits', readLimits(api, extensions['x-rate-limit'])],
    [
      'parameters',
      inOrder.length > 0
        ? share(
            block(inOrder.map(printParameter), '[]'),
            code`readonly ${one}[]`,
            nameParameters(inOrder),
          )
        : undefined,
    ],
    ['put', inOrder.length > 0 ? choosePutter(runtime) : undefined],
    [
      'body',
      body &&
        share(
          printBody(api, body, inOrder.length > 0, extensions['x-max-file-bytes'], runtime),
          runtime.call('BodyFacts', true),
          `${chooseEncoder(api, body.contents[0]).slice('encode'.length)} body`,
        ),
    ],
    ['accept', accept === '' ? undefined : accept],
    [
      'responses',
      share(
        printObject(
          responses.map(({ status, contents }) => [String(status), printReaders(contents)]),
        ),
        code`Readonly<Record<string, ${runtime.call('ResponseReaders', true)}>>`,
        nameResponses(api, responses),
      ),
    ],
    [
      'otherwise',
      responses.some(({ status }) => typeof status !== 'number')
        ? runtime.decode('findByRange')
        : undefined,
    ],
  ]
}

/** The facts of the record that the runtime and middleware read. */
const factsOfCalls: ReadonlySet<string> = new Set(
  'id method path security idempotent rateLimit discovery'.split(' '),
)

function choosePutter({ isChecked, more, parameters }: RuntimeImports): Code {
  return isChecked ? more('checked')('putChecked') : parameters('putParameters')
}

function dropFragment({ path }: Operation): string {
  return path.replace(/#.*/s, '')
}

/** The limits of a class in the document's table, by plan. Undefined without any. */
function readLimits({ extensions }: Api, rateLimit: Json | undefined): Json | undefined {
  const figures =
    typeof rateLimit === 'string'
      ? readMember(readMember(extensions['x-rate-limits'], 'classes'), rateLimit)
      : undefined
  return typeof figures === 'object' && figures !== null && Object.keys(figures).length > 0
    ? figures
    : undefined
}

function readMember(value: Json | undefined, name: string): Json | undefined {
  if (
    typeof value !== 'object' ||
    value === null ||
    Array.isArray(value) ||
    !Object.hasOwn(value, name)
  )
    return undefined
  return (value as Readonly<Record<string, Json>>)[name]
}
