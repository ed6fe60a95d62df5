import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describeError } from '@farebox/command-line/narration'
import type * as ServicePackage from '@farebox/service'
import { Refusal } from '../errors.js'
import { findService } from '../find-service.js'
import { listenOnLoopback, type LoopbackServer } from './http-server.js'

/** A service on this machine for one run of the demo. */
export type LocalService = Pick<LoopbackServer, 'origin' | 'answerWith'> & {
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
 * `Refusal` with the cause if it cannot start, and leaves nothing behind.
 */
export async function startLocalService(port: number, keep: boolean): Promise<LocalService> {
  const { module } = await findService()
  const folder = await mkdtemp(join(tmpdir(), 'farebox-demo-')).catch((error: unknown) => {
    throw new Refusal('not_writable', describeError(error))
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
    server.answerWith(fetch)
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
    throw new Refusal('cannot_start', `The service cannot start: ${describeError(error)}`)
  }
}
