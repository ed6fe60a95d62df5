import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { engines } from '../../../test/databases.js'
import type { Database } from '../../platform/database/database.js'
import { migrate } from '../../platform/database/migrate.js'
import { createLedger } from '../ledger/ledger.js'
import { defaultRetention, purgeVideos } from '../retention.js'
import { createVideoJobs, type VideoJobs } from './jobs.js'
import { createVideoInputs } from './video-inputs.js'
import { mediaLifetimeMs } from './video-job.js'

describe.each(engines)('on $engine', ({ open }) => {
  let database: Database
  let jobs: VideoJobs
  let close: () => Promise<void>
  let now = Date.parse('2026-01-02T03:04:05Z')
  let serial = 0
  beforeAll(async () => {
    ;({ database, close } = await open())
    await migrate(database)
    const ledger = createLedger(database, {
      now: () => now,
      id: () => String(++serial).padStart(8, '0'),
    })
    await ledger.openKeyAccount('key:a', 100n)
    jobs = createVideoJobs(database, ledger, () => now)
  })
  afterAll(() => close())

  const add = async (key: string) => {
    const purchase = { account: 'key:a', amount: 10n, requestId: 'r', modelId: 'm' }
    const queued = await jobs.add({
      purchase,
      request: { prompt: 'x' },
      seconds: 2,
      isPrivate: false,
      idempotency: { key, fingerprint: 'f' },
    })
    if (queued.status !== 'queued') throw new Error(queued.status)
    return queued.job.id
  }
  const left = () =>
    database.query(
      `select (select count(*) from video_job) as jobs, (select count(*) from video_job where media is not null) as media,
         (select count(*) from video_input) as inputs`,
    )

  it('deletes a video after 24 hours, its job after a week, and inputs with their job or without one', async () => {
    const [made, failed, waiting] = [await add('made'), await add('failed'), await add('waiting')]
    for (let count = 0; count < 2; count++) await jobs.lease(1_000)
    await jobs.end(
      { id: made, attempts: 1 },
      { state: 'completed', price: 10n, media: new Uint8Array(8) },
    )
    await jobs.end({ id: failed, attempts: 1 }, { state: 'failed', price: 0n, failure: 'No.' })
    expect(
      await createVideoInputs(database, () => now).keep(
        '00000000-0000-4000-8000-000000000000',
        'key:a',
        {},
      ),
    ).toBe('kept')
    const after = async (ms: number) => {
      now += ms
      await purgeVideos(database, now, defaultRetention, 1)
      return left()
    }
    expect(await after(3_600_000)).toEqual([{ jobs: 3n, media: 1n, inputs: 2n }])
    expect(await after(1)).toEqual([{ jobs: 3n, media: 1n, inputs: 1n }])
    expect(await after(mediaLifetimeMs - 3_600_001)).toEqual([{ jobs: 3n, media: 0n, inputs: 1n }])
    expect(await after(defaultRetention.keys - mediaLifetimeMs)).toEqual([
      { jobs: 3n, media: 0n, inputs: 1n },
    ])
    expect(await after(1)).toEqual([{ jobs: 1n, media: 0n, inputs: 1n }])
    expect(await jobs.find(waiting)).toMatchObject({ state: 'queued' })
    expect(await jobs.request(waiting)).toEqual({ prompt: 'x' })
  })
})
