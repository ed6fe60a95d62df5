import { mkdirSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import {
  checkWith,
  emitters,
  folder,
  generate,
  zodWith,
  type Emitter,
  type ZodFlavour,
} from '@farebox/codegen'
import { cache } from '@farebox/testing/installed'
import type { BuildOptions } from 'esbuild'
import { root } from './root.js'

/** Generates types and validators into the cache and returns the path of the validators. */
export async function generated(spec: string, name: string, flavour: ZodFlavour): Promise<string> {
  return generateWith(spec, `${name}-${flavour}`, zodWith({ flavour }))
}

/** The same with compiled validators. */
export async function generatedCheck(spec: string, name: string): Promise<string> {
  return generateWith(spec, `${name}-check`, checkWith())
}

async function generateWith(spec: string, out: string, emitter: Emitter): Promise<string> {
  const chosen = [...emitters.filter((one) => one.name === 'types'), emitter]
  mkdirSync(cache, { recursive: true })
  const result = await generate({
    cwd: cache,
    spec: relative(cache, spec),
    target: folder(out, 'pnpm bench'),
    emitters: chosen,
  })
  if (result.status === 'faulty')
    throw new Error(
      `${spec} has faults: ${result.diagnostics.map(({ found }) => found).join('; ')}`,
    )
  return join(cache, out, emitter.name, 'index.ts')
}

/** Writes a document into the cache and returns its path. */
export function written(name: string, document: unknown): string {
  const file = join(cache, `${name}.json`)
  mkdirSync(cache, { recursive: true })
  writeFileSync(file, JSON.stringify(document))
  return file
}

/** Lets a bundle find zod, which generated validators in the cache import. */
export const withZod: BuildOptions = { nodePaths: [join(root, 'tools/codegen/node_modules')] }
