import { code, namespace, sourceFile } from '../emit/code.js'
import type { DocumentEmitter } from '../emit/emitter.js'

/**
 * `paths`, `components` and `operations` as openapi-typescript prints them, with our names for the
 * schemas.
 */
export const paths: DocumentEmitter = {
  name: 'paths',
  needs: ['types'],
  into: 'packages/types/src/paths/generated',
  optional: true,
  readsDocument: true,
  suits: ['openapi-fetch'],
  emit: ({ schemas }, { printPaths }) => {
    const types = namespace('types', '#types', { typeOnly: true })
    const names = new Map(schemas.map(({ key, name }) => [key, `${types.text}.${name}`]))
    return [
      sourceFile('index.ts', [
        code`${{ text: printPaths(names), imports: schemas.length === 0 ? [] : types.imports }}`,
      ]),
    ]
  },
}
