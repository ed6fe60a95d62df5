import { parseDocument } from 'yaml'
import { newFile, ScaffoldError, type Addition, type Read } from './addition.js'
import { appendToMap } from './append-to-map.js'
import { addImport, addToTable, editSource } from './edit-source.js'
import { camelName, kebabOf, pascalOf, sentenceOf } from './names.js'

export type OperationOptions = {
  /** The operation id. */
  readonly name: string
  readonly method: string
  /**
   * Below /api/v1, without parameters: they are written by hand into the file of the path. A path
   * of the contract gets another method.
   */
  readonly path: string
  /** Milliseconds since 1970, for `info.version`. */
  readonly now: number
}

const handlersFile = 'packages/service/src/handlers/handlers.ts'

/**
 * Adds an operation that compiles and passes every check: its path, a response schema, an example,
 * and a handler that refuses with 503 until it is written. The rest of the repository follows from
 * `pnpm generate`.
 */
export function operation(options: OperationOptions, read: Read): Addition {
  const name = camelName(options.name)
  const method = options.method.toLowerCase()
  if (!['get', 'post', 'put', 'patch', 'delete'].includes(method)) {
    throw new ScaffoldError(`The method is ${JSON.stringify(options.method)}; expected GET, POST, PUT, PATCH or DELETE.`)
  }
  if (!/^(\/[a-z0-9_-]+)+$/.test(options.path)) {
    throw new ScaffoldError(`The path is ${JSON.stringify(options.path)}; expected one without parameters, as in /status.`)
  }
  const schema = `${pascalOf(name)}Result`
  const contract = read('spec/openapi.yaml')
  const { file, withPath, methods } = pathIn(contract, options.path, read)
  if (new RegExp(`^${method}:`, 'm').test(methods))
    throw new ScaffoldError(`${options.path} has ${method.toUpperCase()} already; choose another path.`)
  const withSchema = appendToMap(withPath, ['components', 'schemas'], schema, `$ref: ./schemas/${schema}.yaml`)
  const handler = kebabOf(name)
  return {
    files: [
      { path: 'spec/openapi.yaml', text: withVersion(withSchema, options.now), isNew: false },
      { path: `spec/paths/${file}`, text: `${methods}${pathYaml(name, method, schema)}`, isNew: methods === '' },
      newFile(`spec/schemas/${schema}.yaml`, schemaYaml),
      newFile(`spec/examples/${name}/example.yaml`, exampleYaml),
      newFile(`packages/service/src/handlers/${handler}.ts`, handlerText(name)),
      editSource(handlersFile, read, (source) => {
        addToTable(source, 'handlers', name, name)
        addImport(source, `./${handler}.js`, name)
      }),
    ],
    next: [
      `spec/paths/${file}: describe the operation; decide its tag, security, x-idempotent and x-rate-limit (spec/README.md)`,
      `spec/schemas/${schema}.yaml and spec/examples/${name}/example.yaml: write the response`,
      'pnpm spec:lint && pnpm generate',
      `packages/service/src/handlers/${handler}.ts: write the handler; until then it answers 503`,
      'packages/client/src/create-client.test.ts: add a call of the operation; what else keeps a list on purpose is in CONTRIBUTING.md',
      'pnpm spec:diff HEAD --changeset',
      'npx vitest run tests/public-surface.test.ts -u, and read its diff',
      'pnpm test && pnpm check',
    ],
  }
}

/** The file of a path, with the methods that it has, and the contract that lists it. */
function pathIn(contract: string, path: string, read: Read) {
  const listed: unknown = parseDocument(contract).getIn(['paths', path, '$ref'])
  if (typeof listed === 'string') {
    const file = listed.replace('./paths/', '')
    return { file, withPath: contract, methods: read(`spec/paths/${file}`) }
  }
  const file = `${path.slice(1).replaceAll(/[/_]/g, '-')}.yaml`
  return { file, withPath: appendToMap(contract, ['paths'], path, `$ref: ./paths/${file}`), methods: '' }
}

/** `info.version` is YYYYMMDD.HHMMSS in UTC. */
function withVersion(contract: string, now: number): string {
  const [day = '', time = ''] = new Date(now).toISOString().replaceAll(/[-:]/g, '').split('T')
  return contract.replace(/^ {2}version: '[^']*'$/m, `  version: '${day}.${time.slice(0, 6)}'`)
}

function handlerText(name: string): string {
  return `import { failure } from '../contract/failures.js'
import type { Handler } from '../contract/handler.js'

/** Not written yet: answers 503. */
export const ${name}: Handler<'${name}'> = async () =>
  failure(503, '${name} is not available on this service yet.', 'NOT_IMPLEMENTED')
`
}

function pathYaml(name: string, method: string, schema: string): string {
  const limits = ['limit-requests', 'remaining-requests', 'reset-requests', 'limit-tokens', 'remaining-tokens', 'reset-tokens']
  const headers = limits.map((limit) => `        x-ratelimit-${limit}:\n          $ref: ../headers/x-ratelimit-${limit}.yaml\n`).join('')
  return `${method}:
  operationId: ${name}
  tags: [Models]
  summary: ${sentenceOf(name)}
  description: |
    ${sentenceOf(name)}.
  x-provisional: The interface specification does not name this operation.
  x-idempotent: ${method === 'get' || method === 'put' || method === 'delete'}
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
