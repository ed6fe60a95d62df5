import {
  createChangeset,
  createNewFile,
  ScaffoldError,
  type Addition,
  type SourceReader,
} from './addition.js'
import { requireCamelCase, toKebab } from './names.js'

type MiddlewareOptions = { readonly name: string; readonly package: string }

/** Adds a middleware that passes calls on, its test, and its export by name. */
export function addMiddleware(options: MiddlewareOptions, read: SourceReader): Addition {
  const name = requireCamelCase(options.name)
  if (options.package !== 'auth' && options.package !== 'retry') {
    throw new ScaffoldError(
      `The package is ${JSON.stringify(options.package)}; expected auth or retry.`,
    )
  }
  const folder = `packages/${options.package}/src`
  const file = toKebab(name)
  const index = read(`${folder}/index.ts`)
  const line = `export { ${name} } from './${file}.js'`
  return {
    files: [
      createNewFile(`${folder}/${file}.ts`, printMiddleware(name)),
      createNewFile(`${folder}/${file}.test.ts`, printTest(name, file)),
      { path: `${folder}/index.ts`, text: `${index.trimEnd()}\n${line}\n`, isNew: false },
      createChangeset(
        `middleware-${file}`,
        { [`@farebox/${options.package}`]: 'minor' },
        `The middleware \`${name}\`.`,
      ),
    ],
    next: [
      `${folder}/${file}.ts: write the middleware, and say in its doc comment what it guarantees`,
      `packages/farebox/src/chain.ts: add it to the chain, if the SDK uses it`,
      'npx vitest run tests/public-surface.test.ts -u, and read its diff',
      `.changeset/middleware-${file}.md: describe it`,
      'pnpm test && pnpm check',
    ],
  }
}

function printMiddleware(name: string): string {
  return `import type { Middleware } from '@farebox/middleware'

/** Passes every call on unchanged. */
export function ${name}(): Middleware {
  return (next) => (call) => next(call)
}
`
}

function printTest(name: string, file: string): string {
  return `import { expect, it } from 'vitest'
import { ${name} } from './${file}.js'

it('passes every call on', async () => {
  const response = new Response()
  const send = ${name}()(async () => response)
  expect(await send({ url: 'http://127.0.0.1/', method: 'GET', headers: new Headers() })).toBe(response)
})
`
}
