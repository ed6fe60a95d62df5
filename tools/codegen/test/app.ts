import { cp, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { DocumentEmitter } from '../src/emit/emitter.js'
import { generate } from '../src/pipeline/generate.js'
import { folder } from '../src/pipeline/target.js'

const apps = fileURLToPath(new URL('apps/', import.meta.url))

/** Generates outputs of the document of the guides beside a program that a guide shows. */
export async function generateApp(
  work: string,
  programs: readonly string[],
  emitters: readonly DocumentEmitter[],
): Promise<void> {
  await rm(work, { recursive: true, force: true })
  await mkdir(work, { recursive: true })
  for (const name of ['openapi.yaml', ...programs]) await cp(join(apps, name), join(work, name))
  const result = await generate({
    spec: 'openapi.yaml',
    cwd: work,
    emitters,
    target: folder('api', 'test'),
    strict: true,
  })
  if (result.status !== 'written') throw new Error(JSON.stringify(result.diagnostics, undefined, 2))
}
