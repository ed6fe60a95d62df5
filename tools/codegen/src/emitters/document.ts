import { code, sourceFile } from '../emit/code.js'
import type { DocumentEmitter } from '../emit/emitter.js'
import { literal } from '../emit/literal.js'

/** The document itself, in one piece, for a service that shows its contract. */
export const document: DocumentEmitter = {
  name: 'document',
  into: 'packages/service/src/generated',
  optional: true,
  readsDocument: true,
  emit: (_api, { root }) => [
    sourceFile('document.ts', [
      code`/** The OpenAPI document that all of this is generated from, with its files joined into one. */
export const document: Readonly<Record<string, unknown>> = ${literal(root)}`,
    ]),
  ],
}
