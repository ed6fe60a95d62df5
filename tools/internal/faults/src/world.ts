import { startOwnPostgres } from '@farebox/testing/postgres'
import { openDatabaseLink } from './database-link.js'
import type { World } from './faults.js'
import { createServiceProcess } from './service-process.js'
import { createSmallDisk } from './small-disk.js'

/** Room for the database of a run, and for its write-ahead log. */
const diskMebibytes = 512
const walBound = ['max_wal_size=64MB', 'min_wal_size=32MB']

/** Starts PostgreSQL, on a small disk where one can be mounted, and two services on it. */
export async function startWorld(): Promise<World & { readonly end: () => Promise<void> }> {
  const disk = createSmallDisk(diskMebibytes)
  const postgres = await startOwnPostgres({
    settings: walBound,
    ...(disk && { folder: disk.folder }),
  })
  const links = [
    await openDatabaseLink(postgres.url),
    await openDatabaseLink(postgres.url),
  ] as const
  const services = [
    await createServiceProcess(links[0].url),
    await createServiceProcess(links[1].url),
  ] as const
  const end = async () => {
    for (const service of services) {
      service.thaw()
      await service.kill()
    }
    for (const link of links) await link.close()
    await postgres.stop()
    disk?.remove()
  }
  try {
    await Promise.all(services.map((service) => service.start()))
  } catch (error) {
    await end()
    throw error
  }
  return { postgres, services, links, disk, end }
}
