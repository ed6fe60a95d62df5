import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { runs } from './commands.js'

type Options = { readonly spec: string; readonly before: string; readonly allowRefs: boolean }

/**
 * Writes the changeset, where the repository has any, by the command that checks it later. Gives
 * the changes as markdown.
 */
export async function writeChangeset(
  cwd: string,
  { spec, before, allowRefs }: Options,
): Promise<string> {
  const manifest = createRequire(import.meta.url).resolve('@farebox/spec-diff/package.json')
  const { bin } = JSON.parse(readFileSync(manifest, 'utf8')) as {
    readonly bin: Readonly<Record<string, string>>
  }
  const command = join(dirname(manifest), bin['farebox-spec-diff'] ?? '')
  const options = [
    ...(existsSync(join(cwd, '.changeset')) ? ['--changeset'] : []),
    ...(allowRefs ? ['--allow-refs'] : []),
  ]
  return runs(
    cwd,
    process.execPath,
    command,
    before,
    '--spec',
    spec,
    '--format',
    'markdown',
    ...options,
  )
}
