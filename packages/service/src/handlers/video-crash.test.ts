import { expect, it } from 'vitest'
import { openEmptyDatabase } from '../../test/empty-database.js'
import { adminKey, startService, type Harness } from '../../test/harness.js'
import { makeMortal } from '../../test/make-mortal.js'

const order = { model: 'local-test-clip', prompt: 'A tram', duration: '2s', resolution: '256p' }

async function post(harness: Harness, path: string, body: object, key?: string) {
  const headers = {
    authorization: `Bearer ${adminKey}`,
    'content-type': 'application/json',
    ...(key && { 'idempotency-key': key }),
  }
  const init = { method: 'POST', headers, body: JSON.stringify(body) }
  return harness.call(path === '/video/queue' ? 'queueVideo' : 'retrieveVideo', path, init)
}

async function parse(harness: Harness) {
  const body = new FormData()
  body.append('file', new Blob(['Tram fares']), 'a.txt')
  await harness.call('parseText', '/augment/text-parser', {
    method: 'POST',
    body,
    headers: { authorization: `Bearer ${adminKey}` },
  })
}

/** Asks until the video is there. */
async function retrieve(harness: Harness, queueId: unknown) {
  for (;;) {
    const response = await post(harness, '/video/retrieve', {
      model: order.model,
      queue_id: queueId,
    })
    if (response.json['status'] !== 'PROCESSING') return response
    await new Promise(setImmediate)
  }
}

const video = { name: 'test', render: async () => new Uint8Array(8) }

it('killing the process at any statement leaves no credit locked, and each video is charged once', async () => {
  const database = await openEmptyDatabase()
  for (let diesAt = 1, isAlive = false; !isAlive; diesAt++) {
    const key = `film-${diesAt}`
    const life = makeMortal(database, diesAt)
    const first = await startService({ database: life.database, video })
    life.begin()
    const { status, json } = await post(first, '/video/queue', order, key)
    if (status === 200) await retrieve(first, json['queue_id'])
    await parse(first)
    await first.service.close()
    isAlive = !life.isDead()

    const next = await startService({
      database: { ...database, close: async () => undefined },
      video,
    })
    const repeated = await post(next, '/video/queue', order, key)
    // without a stored response, the id of what was done
    expect(
      (await retrieve(next, repeated.json['queue_id'] ?? repeated.json['id'])).bytes,
    ).toHaveLength(8)
    await next.service.close()
    const count = (table: string, condition: string) =>
      `(select count(*) from ${table} where ${condition})`
    const [left] = await database.query(
      `select ${count('hold', `state = 'held'`)} as held, ${count('video_job', 'true')} as jobs, ${count('entry', `model_id = '${order.model}'`)} as charges`,
    )
    expect(left, `killed at statement ${diesAt}`).toEqual({
      held: 0n,
      jobs: BigInt(diesAt),
      charges: BigInt(diesAt),
    })
    expect(await next.ledger.audit()).toEqual([])
  }
  await database.close()
})
