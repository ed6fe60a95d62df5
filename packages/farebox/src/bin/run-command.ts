import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { spawnSync } from 'node:child_process'
import { fileURLToPath, pathToFileURL } from 'node:url'

/**
 * Runs the command in this process: its streams, its signals and its exit code are those of `npx
 * farebox`. It is in the package @farebox/cli, so that the SDK installs without its dependencies.
 */
export async function runCommand(): Promise<void> {
  const caller = pathToFileURL(join(process.cwd(), 'package.json')).href
  const command = findCommand([import.meta.url, caller]) ?? fetchCommand()
  if (command === undefined) return
  process.argv = [process.execPath, command, ...process.argv.slice(2)]
  await import(pathToFileURL(command).href)
}

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

const printCommand = fileURLToPath(new URL('./print-command.js', import.meta.url))

/**
 * Installs `@farebox/cli` into the cache of npx, and returns the file of its command. npx starts a
 * program that prints the file, not the command itself, because npx does not forward signals.
 * Undefined after a failure, which is reported on stderr.
 */
function fetchCommand(): string | undefined {
  // the SDK and the command are released together: decisions/release.md
  const { version } = JSON.parse(
    readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
  ) as { readonly version: string }
  const [file, ...args] = npx(process.platform, process.execPath)
  const { status, stdout, error } = spawnSync(
    file,
    [...args, '--yes', `--package=@farebox/cli@${version}`, '--', 'node', printCommand],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
      encoding: 'utf8',
    },
  )
  if (status === 0 && stdout !== '') return stdout
  const why =
    error === undefined
      ? `npx ended with ${status ?? 'a signal'}`
      : `npx cannot be started (${error.message})`
  process.stderr.write(
    `farebox: The command needs the package @farebox/cli ${version}, which is not installed, and ${why}. Run npm install @farebox/cli@${version}.\n`,
  )
  process.exitCode = 1
  return undefined
}

/** Windows needs a shell for `npx.cmd`, which would interpret arguments. npm is beside Node. */
export function npx(platform: string, execPath: string): readonly [string, ...string[]] {
  return platform === 'win32'
    ? [execPath, join(dirname(execPath), 'node_modules', 'npm', 'bin', 'npx-cli.js')]
    : ['npx']
}
