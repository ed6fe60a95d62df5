import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Refusal } from './errors.js'

/**
 * The files of `@farebox/service`, which is large and rarely needed, and so installed separately.
 */
export type InstalledService = {
  /** Its command `farebox-service`. */
  readonly command: string
  /** What `import '@farebox/service'` would load. */
  readonly module: string
}

/** Modules whose packages are looked through: this one, and one of the current folder. */
export function defaultPlaces(): readonly string[] {
  return [import.meta.url, pathToFileURL(join(process.cwd(), 'here')).href]
}

/** Finds the service beside this package or in the current folder. Throws `Refusal` without one. */
export async function findService(
  from: readonly string[] = defaultPlaces(),
): Promise<InstalledService> {
  for (const place of from) {
    const manifest = resolve('@farebox/service/package.json', place)
    const module = resolve('@farebox/service', place)
    if (manifest === undefined || module === undefined) continue
    const { bin } = JSON.parse(await readFile(manifest, 'utf8')) as {
      readonly bin?: Readonly<Record<string, string>>
    }
    const command = join(dirname(manifest), bin?.['farebox-service'] ?? 'missing')
    if (existsSync(command)) return { command, module }
  }
  throw new Refusal(
    'not_installed',
    'The service is the package @farebox/service, which is not installed. Run npm install @farebox/service in this folder, ' +
      'or run the command with both packages: npx -p @farebox/cli -p @farebox/service farebox.',
  )
}

function resolve(name: string, from: string): string | undefined {
  try {
    return createRequire(from).resolve(name)
  } catch {
    return undefined
  }
}
