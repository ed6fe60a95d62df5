import type * as ServicePackage from '@farebox/service'
import { describeError } from '@farebox/command-line/narration'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { CommandError } from '../command.js'
import { listenOnLoopback, type LoopbackServer } from './http-server.js'

/** A service on this machine for one run of the demo. */
export type LocalService = Pick<LoopbackServer, 'origin' | 'serve'> & {
  /** Answers a request without the network. */
  readonly fetch: (request: Request) => Promise<Response>
  /** The key of an account that starts with 100 USD. */
  readonly adminKey: string
  /** Holds the data, and what the demo makes. */
  readonly folder: string
  /** Ends the service, and deletes the folder unless it is kept. */
  readonly stop: () => Promise<void>
}

/**
 * Starts the service in this process with a new folder in the folder for temporary files. Throws
 * `CommandError` with the cause if it cannot start, and leaves nothing behind.
 */
export async function startLocalService(port: number, keep: boolean): Promise<LocalService> {
  const { module } = await findService()
  const folder = await mkdtemp(join(tmpdir(), 'farebox-demo-')).catch((error: unknown) => {
    throw new CommandError('not_writable', describeError(error))
  })
  const remove = () => rm(folder, { recursive: true, force: true })
  const server = await listenOnLoopback(port).catch(async (error: unknown) => {
    await remove()
    throw error
  })
  const adminKey = `farebox-demo-${randomBytes(16).toString('hex')}`
  try {
    const { createService } = (await import(pathToFileURL(module).href)) as typeof ServicePackage
    const service = await createService({
      origin: server.origin,
      data: join(folder, 'ledger'),
      adminKey,
      allowNonceReuse: true,
    })
    const fetch = (request: Request) => service.fetch(request)
    server.serve(fetch)
    return {
      ...server,
      fetch,
      adminKey,
      folder,
      stop: async () => {
        await server.close()
        await service.close()
        if (!keep) await remove()
      },
    }
  } catch (error) {
    await server.close()
    await remove()
    throw new CommandError('cannot_start', `The service cannot start: ${describeError(error)}`)
  }
}

/**
 * The files of `@farebox/service`, which is large and rarely needed, and so installed separately.
 */
type InstalledService = {
  /** Its command `farebox-service`. */
  readonly command: string
  /** What `import '@farebox/service'` would load. */
  readonly module: string
}

/** Modules whose packages are looked through: this one, and one of the current folder. */
function listDefaultPlaces(): readonly string[] {
  return [import.meta.url, pathToFileURL(join(process.cwd(), 'here')).href]
}

/** Finds the service beside this package or in the current folder. Throws `CommandError` without one. */
export async function findService(
  from: readonly string[] = listDefaultPlaces(),
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
  throw new CommandError(
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
