import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/**
 * The file of the command `farebox` of `@farebox/cli`, resolved from the first of these modules
 * that finds the package.
 */
export function findCommand(from: readonly string[]): string | undefined {
  for (const module of from) {
    const manifest = resolve('@farebox/cli/package.json', module)
    if (manifest === undefined) continue
    const { bin } = JSON.parse(readFileSync(manifest, 'utf8')) as {
      readonly bin: { readonly farebox: string }
    }
    return join(dirname(manifest), bin.farebox)
  }
  return undefined
}

function resolve(name: string, from: string): string | undefined {
  try {
    return createRequire(from).resolve(name)
  } catch {
    return undefined
  }
}
