import { Client, InMemoryTransport, type Progress } from '@modelcontextprotocol/client'
import type { Farebox, VideoOptions, QueuedVideo } from 'farebox'
import { expect, it } from 'vitest'
import type { Connection } from '../calls/connect.js'
import { createBudget, createToolCaller } from './call-tool.js'
import { selectTools } from './offered.js'
import { loadServerFactory } from './protocol-server.js'

it('waits for a video where asked to, reports progress that grows, and returns the file', async () => {
  const asked: QueuedVideo[] = []
  const generateVideo = async (video: QueuedVideo, { onProgress }: VideoOptions) => {
    asked.push(video)
    const step = {
      stage: 'processing',
      queueId: video.queue_id,
      status: 'PROCESSING',
      averageMs: 60_000,
    } as const
    onProgress?.({ ...step, elapsedMs: 20_000 })
    onProgress?.({ ...step, elapsedMs: 40_000 })
    onProgress?.({ stage: 'downloading', queueId: video.queue_id, receivedBytes: 4 })
    return new Response('film', { headers: { 'content-type': 'video/mp4' } })
  }
  const farebox = { generateVideo } as unknown as Farebox
  const tools = selectTools({ readOnly: false, hasFolder: false, canCall: () => true })
  const findConnection = (): Connection => ({
    farebox,
    baseUrl: 'http://127.0.0.1/api/v1',
    as: 'key',
  })
  const budget = createBudget({ maxUsdPerCall: 0, maxUsd: 0 })
  const call = createToolCaller({
    tools,
    findConnection,
    budget,
    folder: undefined,
    mayConsent: false,
  })
  const servers = await loadServerFactory(
    { tools, call, resources: [], instructions: '' },
    new AbortController().signal,
  )
  const [there, here] = InMemoryTransport.createLinkedPair()
  await servers().connect(there)
  const client = new Client({ name: 'test', version: '1.0.0' })
  await client.connect(here)

  const steps: Progress[] = []
  const result = await client.callTool(
    { name: 'retrieveVideo', arguments: { model: 'local-test-clip', queue_id: 'v1', wait: true } },
    { onprogress: (step) => void steps.push(step) },
  )
  expect(asked).toEqual([{ model: 'local-test-clip', queue_id: 'v1' }])
  expect(result.content[0]).toMatchObject({
    resource: { mimeType: 'video/mp4', blob: Buffer.from('film').toString('base64') },
  })
  expect(steps.map(({ message }) => message)).toEqual([
    'processing',
    'processing',
    'downloading: 4 bytes',
  ])
  expect(steps.map(({ progress, total }) => total === undefined || total > progress)).toEqual([
    true,
    true,
    true,
  ])
  const grown = steps.map(({ progress }) => progress)
  expect(new Set(grown).size).toBe(3)
  expect([...grown].sort((one, other) => one - other)).toEqual(grown)
  await client.close()
})
