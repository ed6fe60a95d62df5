import { parseDocument } from 'yaml'
import { createNewFile, ScaffoldError, type Addition, type SourceReader } from './addition.js'
import { appendToMap, addImport, addToTable, editSource } from './edit-source.js'
import {
  copyExpectations,
  copyHandler,
  copyOperation,
  findModel,
  type Model,
} from './operation-like.js'
import { requireCamelCase, toKebab, toPascal, toSentence } from './names.js'

type OperationOptions = {
  /** The operation id. */
  readonly name: string
  /**
   * Below /api/v1, without parameters other than those of the model. A path of the contract gets
   * another method.
   */
  readonly path: string
  /** The id of an operation to copy. Default: none, for a GET that gives one object. */
  readonly like?: string | undefined
  /** Milliseconds since 1970, for `info.version`. */
  readonly now: number
}

const handlersFile = 'packages/service/src/handlers/handlers.ts'

/**
 * Adds an operation that compiles and passes every check: its path, schemas, examples and a
 * handler. One like another has that one's method, body, responses, price, security and samples,
 * and its handler does the same until it is written. The rest of the repository follows from
 * `pnpm generate`.
 */
export function addOperation(options: OperationOptions, read: SourceReader): Addition {
  const name = requireCamelCase(options.name)
  const contract = read('spec/openapi.yaml')
  const model = options.like === undefined ? undefined : findModel(contract, options.like, read)
  checkPath(options.path, model)
  const { file, withPath, methods } = readPathItem(contract, options.path, read)
  const method = model?.method ?? 'get'
  if (new RegExp(`^${method}:`, 'm').test(methods))
    throw new ScaffoldError(
      `${options.path} has ${method.toUpperCase()} already; choose another path.`,
    )
  const made =
    model === undefined
      ? createSimpleOperation(name)
      : copyOperation(model, name, options.path, contract, read)
  const yaml = methods === '' ? made.yaml : made.yaml.replace(/^parameters:.*\n(?: .*\n)*/, '')
  const withSchemas = made.schemas.reduce(
    (text, schema) =>
      appendToMap(text, ['components', 'schemas'], schema, `$ref: ./schemas/${schema}.yaml`),
    withPath,
  )
  const handler = toKebab(name)
  const copied = model === undefined ? undefined : copyHandler(model, name, read)
  return {
    files: [
      { path: 'spec/openapi.yaml', text: withVersion(withSchemas, options.now), isNew: false },
      { path: `spec/paths/${file}`, text: `${methods}${yaml}`, isNew: methods === '' },
      ...made.files,
      createNewFile(`packages/service/src/handlers/${handler}.ts`, copied ?? printHandler(name)),
      editSource(handlersFile, read, (source) => {
        addToTable(source, 'handlers', name, name)
        addImport(source, `./${handler}.js`, name)
      }),
      ...(model === undefined ? [] : copyExpectations(model, name, read)),
    ],
    next: [
      `spec/paths/${file}: describe the operation; decide its tag, security, price, x-idempotent and x-rate-limit (spec/README.md)`,
      `spec/schemas and spec/examples/${name}: write the bodies (${made.schemas.map((schema) => `${schema}.yaml`).join(', ')})`,
      'pnpm spec:lint && pnpm generate',
      `packages/service/src/handlers/${handler}.ts: write the handler and its test; until then it ${copied === undefined ? 'responds with 503' : `does what ${options.like} does`}`,
      'the tests that keep a list on purpose, and a command for it: CONTRIBUTING.md, "Add an operation"',
      'pnpm spec:diff main --changeset',
      'npx vitest run tests/public-surface.test.ts -u, and read its diff',
      'pnpm test && pnpm check',
    ],
  }
}

function checkPath(path: string, model: Model | undefined): void {
  const parameters = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([match]) => match)
  const [found, wanted] = [parameters(path), parameters(model?.path ?? '')]
  if (/^(\/([a-z0-9_-]+|\{\w+\}))+$/.test(path) && found.join() === wanted.join()) return
  const expected =
    wanted.length > 0
      ? `one with ${wanted.join(' and ')}, as ${model?.path ?? ''} has`
      : 'one without parameters, as in /status'
  throw new ScaffoldError(`The path is ${JSON.stringify(path)}; expected ${expected}.`)
}

/** A GET that gives an object, for everybody with a key. */
function createSimpleOperation(name: string): ReturnType<typeof copyOperation> {
  const schema = `${toPascal(name)}Result`
  return {
    yaml: printPath(name, schema),
    files: [
      createNewFile(`spec/schemas/${schema}.yaml`, schemaYaml),
      createNewFile(`spec/examples/${name}/example.yaml`, exampleYaml),
    ],
    schemas: [schema],
  }
}

/** The file of a path, with the methods that it has, and the contract that lists it. */
function readPathItem(contract: string, path: string, read: SourceReader) {
  const reference: unknown = parseDocument(contract).getIn(['paths', path, '$ref'])
  if (typeof reference === 'string') {
    const file = reference.replace('./paths/', '')
    return { file, withPath: contract, methods: read(`spec/paths/${file}`) }
  }
  const file = `${path.slice(1).replaceAll(/[{}]/g, '').replaceAll(/[/_]/g, '-')}.yaml`
  return {
    file,
    withPath: appendToMap(contract, ['paths'], path, `$ref: ./paths/${file}`),
    methods: '',
  }
}

/** `info.version` is YYYYMMDD.HHMMSS in UTC. */
function withVersion(contract: string, now: number): string {
  const [day = '', time = ''] = new Date(now).toISOString().replaceAll(/[-:]/g, '').split('T')
  return contract.replace(/^ {2}version: '[^']*'$/m, `  version: '${day}.${time.slice(0, 6)}'`)
}

function printHandler(name: string): string {
  return `import { failure } from '../contract/failures.js'
import type { Handler } from '../contract/handler.js'

/** Not written yet: responds with 503. */
export const ${name}: Handler<'${name}'> = async () =>
  failure(503, '${name} is not available on this service yet.', 'NOT_IMPLEMENTED')
`
}

function printPath(name: string, schema: string): string {
  const limits = [
    'limit-requests',
    'remaining-requests',
    'reset-requests',
    'limit-tokens',
    'remaining-tokens',
    'reset-tokens',
  ]
  const headers = limits
    .map(
      (limit) =>
        `        x-ratelimit-${limit}:\n          $ref: ../headers/x-ratelimit-${limit}.yaml\n`,
    )
    .join('')
  return `get:
  operationId: ${name}
  tags: [Models]
  summary: ${toSentence(name)}
  description: |
    ${toSentence(name)}.
  x-provisional: The interface specification does not name this operation.
  x-idempotent: true
  x-rate-limit: unstated
  security:
    - BearerAuth: []
  responses:
    '200':
      description: The result.
      headers:
${headers}      content:
        application/json:
          schema:
            $ref: ../schemas/${schema}.yaml
          examples:
            example:
              $ref: ../examples/${name}/example.yaml
    '401':
      $ref: ../responses/Unauthorized.yaml
    '429':
      $ref: ../responses/RateLimited.yaml
    '500':
      $ref: ../responses/InternalError.yaml
    '503':
      $ref: ../responses/Unavailable.yaml
`
}

const schemaYaml = `type: object
required: [status]
properties:
  status:
    type: string
    description: How the request ended.
x-provisional: The interface specification does not name it.
`

const exampleYaml = `summary: A result
value:
  status: done
`
