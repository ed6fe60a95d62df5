import { code, namespace, sourceFile, symbol, type Code } from '../emit/code.js'
import type { Emitter } from '../emit/emitter.js'
import { docComment } from '../emit/literal.js'
import type { Api } from '../ir/api.js'
import { facts } from './server/facts.js'
import { operations } from './server/operations.js'

const own =
  'decode-parameters operation-facts problems read-body read-multipart refused-request router serve shape write-answer write-items'.split(
    ' ',
  )
const shared =
  'call events files format-name invalid-input-error json-items part-bytes parts serialize stream text unexpected-response-error'.split(
    ' ',
  )

/** A Hono app with a typed handler for each operation. It validates by the zod output. */
export const server: Emitter = {
  name: 'server',
  needs: ['types', 'zod'],
  into: 'packages/server/src/generated',
  optional: true,
  suits: ['hono'],
  runtime: [
    ...own.map((name) => `server/${name}.ts`),
    ...shared.map((name) => `client/${name}.ts`),
  ],
  runtimeByNeed: true,
  emit: (api) => [
    sourceFile('facts.ts', facts(api)),
    sourceFile('operations.ts', operations(api)),
    sourceFile('index.ts', index(api)),
  ],
}

function index({ title }: Api): readonly Code[] {
  const all = namespace('facts', './facts.js')
  const app = symbol('Hono', 'hono', { typeOnly: true })
  const env = symbol('Env', 'hono', { typeOnly: true })
  return [
    code`export type * from './operations.js'
export type { OperationFacts, Problem } from './operation-facts.js'
export { RefusedRequest, type RefusedStatus } from './refused-request.js'
export type { ServerOptions } from './serve.js'`,
    code`${docComment([`${title}: a Hono app that calls a handler for each operation. It checks no credentials.`])}export function createServer<E extends ${env} = ${env}>(handlers: ${symbol('Handlers', './operations.js', { typeOnly: true })}<E>, options?: ${symbol('ServerOptions', './serve.js', { typeOnly: true })}<E>): ${app}<E> {
  return ${symbol('serve', './serve.js')}<E>(${all}.operations, ${all}.shapes, handlers, options)
}`,
  ]
}
