import { spawn } from 'node:child_process'
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { memoryPaymentStore } from '@farebox/auth'
import { generatePrivateKey, privateKeySigner } from '@farebox/auth/keys'
import { createFarebox } from 'farebox'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const adminKey = 'sample-admin-key'

/**
 * A service, a folder with the files that samples read, and the environment that tells samples of
 * both.
 */
export type LocalService = {
  readonly folder: string
  readonly environment: Readonly<Record<string, string>>
  readonly stop: () => Promise<void>
}

/**
 * A service of its own. Its wallet has 5 USD when `funded`, and a video is there to be asked for.
 */
export async function startLocalService(funded: boolean): Promise<LocalService> {
  const folder = await mkdtemp(join(tmpdir(), 'farebox-samples-'))
  for (const name of ['fare-table.pdf', 'fare-table.docx']) {
    await copyFile(join(root, 'packages/service/fixtures', name), join(folder, name))
  }
  await writeFile(join(folder, 'inference.key'), `${adminKey}\n`)
  const service = spawn(process.execPath, [join(root, 'packages/service/dist/cli.js'), '--port', '0', '--data', join(folder, 'data')], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, FAREBOX_ADMIN_KEY: adminKey },
  })
  const ended = new Promise<void>((resolve) => service.once('exit', () => resolve()))
  const origin = await new Promise<string>((resolve, reject) => {
    let output = ''
    service.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      const [, found] = /listening on (http:\/\/[^\s/]+)/.exec(output) ?? []
      if (found !== undefined) resolve(found)
    })
    service.once('exit', (code) => reject(new Error(`The service ended with ${code} before it was ready:\n${output}`)))
  })
  const baseUrl = `${origin}/api/v1`
  const key = generatePrivateKey()
  const wallet = privateKeySigner(key)
  if (funded) await createFarebox({ baseUrl, wallet, store: memoryPaymentStore() }).topUp(5)
  return {
    folder,
    environment: {
      FAREBOX_BASE_URL: baseUrl,
      XDG_STATE_HOME: join(folder, 'state'),
      FAREBOX_API_KEY: adminKey,
      FAREBOX_PRIVATE_KEY: key,
      WALLET_ADDRESS: wallet.address,
      KEY_ID: await makeKey(baseUrl),
      QUEUE_ID: funded ? await makeMedia(baseUrl, folder) : '',
    },
    stop: async () => {
      service.kill('SIGTERM')
      await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** A recording that is long enough to be cloned, and a video; gives the video's queue id. */
async function makeMedia(baseUrl: string, folder: string): Promise<string> {
  const admin = createFarebox({ baseUrl, apiKey: adminKey })
  const input = 'This is how I sound when I read a fare table aloud, slowly, from the first zone to the last one.'
  const speech = await admin.createSpeech({ input, speed: 0.6, response_format: 'wav' })
  await writeFile(join(folder, 'voice.wav'), new Uint8Array(await speech.arrayBuffer()))
  const { queue_id } = await admin.queueVideo({ model: 'local-test-clip', prompt: 'A tram', duration: '2s', resolution: '256p' })
  const clip = await admin.generateVideo({ model: 'local-test-clip', queue_id }, { pollMs: 100 })
  await clip.body?.cancel()
  return queue_id
}

/** The id of a key that samples change. */
async function makeKey(baseUrl: string): Promise<string> {
  return (await createFarebox({ baseUrl, apiKey: adminKey }).createApiKey({ apiKeyType: 'INFERENCE', description: 'Nightly summaries' })).id
}
