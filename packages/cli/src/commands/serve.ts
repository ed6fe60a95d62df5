import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Run } from '../command.js'
import { Refusal } from '../errors.js'

/**
 * Runs the command of `@farebox/service` in this process with the same arguments: one process to
 * signal, and one exit code. The service is large and rarely needed with this command, so it is
 * installed separately.
 */
export const serve: Run = async ({ arguments: given }) => {
  const command = await findService([import.meta.url, pathToFileURL(join(process.cwd(), 'here')).href])
  process.argv = [process.execPath, command, ...given.operands]
  // the service handles signals itself
  for (const signal of ['SIGINT', 'SIGTERM']) process.removeAllListeners(signal)
  await import(pathToFileURL(command).href)
  return Number(process.exitCode ?? 0)
}

/**
 * The file of its command, installed beside this package or in the current folder. Throws `Refusal`
 * if it is not installed.
 */
export async function findService(from: readonly string[]): Promise<string> {
  for (const place of from) {
    const manifest = resolve('@farebox/service/package.json', place)
    if (manifest === undefined) continue
    const { bin } = JSON.parse(await readFile(manifest, 'utf8')) as { readonly bin?: Readonly<Record<string, string>> }
    const command = join(dirname(manifest), bin?.['farebox-service'] ?? 'missing')
    if (existsSync(command)) return command
  }
  throw new Refusal(
    'not_installed',
    'farebox serve starts the service of @farebox/service, which is not installed. Run npm install @farebox/service in this folder, ' +
      'or start it by itself: npx -p @farebox/service farebox-service.',
  )
}

function resolve(name: string, from: string): string | undefined {
  try {
    return createRequire(from).resolve(name)
  } catch {
    return undefined
  }
}
