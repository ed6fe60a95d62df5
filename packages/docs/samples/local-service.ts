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
const generous = { requests: 10_000 }

/** A service, and a folder with the files that samples read. */
export type LocalService = {
  readonly folder: string
  /** What tells samples of the service, with a wallet that has 5 USD. */
  readonly environment: Readonly<Record<string, string>>
  /** The same with a wallet that has nothing. */
  readonly withEmptyWallet: Readonly<Record<string, string>>
  /** What it has logged: of use when a sample failed. */
  readonly log: () => string
  readonly stop: () => Promise<void>
}

/**
 * A service of its own, with a video to be asked for. Its limits are out of the way of many samples
 * in a minute.
 */
export async function startLocalService(): Promise<LocalService> {
  const folder = await mkdtemp(join(tmpdir(), 'farebox-samples-'))
  for (const name of ['fare-table.pdf', 'fare-table.docx']) {
    await copyFile(join(root, 'packages/service/fixtures', name), join(folder, name))
  }
  await writeFile(join(folder, 'inference.key'), `${adminKey}\n`)
  const limits = Object.fromEntries(
    ['audio', 'apiKeyCreation', 'walletTransactions', 'walletBalance', 'walletTopUp'].map(
      (name) => [name, { default: generous, partner: generous }],
    ),
  )
  await writeFile(join(folder, 'limits.json'), JSON.stringify({ limits }))
  const options = [
    '--port',
    '0',
    '--data',
    join(folder, 'data'),
    '--catalogue',
    join(folder, 'limits.json'),
  ]
  // to optimize the database engine costs as much as the work of all samples
  const service = spawn(
    process.execPath,
    ['--liftoff-only', join(root, 'packages/service/dist/bin.js'), ...options],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, FAREBOX_ADMIN_KEY: adminKey },
    },
  )
  const ended = new Promise<void>((resolve) => service.once('exit', () => resolve()))
  let log = ''
  service.stderr.on('data', (chunk: Buffer) => (log += chunk.toString()))
  const origin = await new Promise<string>((resolve, reject) => {
    let output = ''
    service.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      const [, origin] = /listening on (http:\/\/[^\s/]+)/.exec(output) ?? []
      if (origin !== undefined) resolve(origin)
    })
    service.once('exit', (code) =>
      reject(new Error(`The service ended with ${code} before it was ready:\n${output}${log}`)),
    )
  })
  const baseUrl = `${origin}/api/v1`
  const common = {
    FAREBOX_BASE_URL: baseUrl,
    FAREBOX_API_KEY: adminKey,
    KEY_ID: await makeKey(baseUrl),
    QUEUE_ID: await makeMedia(baseUrl, folder),
  }
  const key = generatePrivateKey()
  await createFarebox({
    baseUrl,
    wallet: privateKeySigner(key),
    payments: { store: memoryPaymentStore() },
  }).topUp(5)
  return {
    folder,
    environment: { ...common, ...createWallet(key, join(folder, 'state')) },
    withEmptyWallet: {
      ...common,
      ...createWallet(generatePrivateKey(), join(folder, 'state-of-empty')),
    },
    log: () => log,
    stop: async () => {
      service.kill('SIGTERM')
      await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function createWallet(key: string, state: string): Readonly<Record<string, string>> {
  return {
    FAREBOX_PRIVATE_KEY: key,
    WALLET_ADDRESS: privateKeySigner(key).address,
    XDG_STATE_HOME: state,
  }
}

/** A recording that is long enough to be cloned, and a video; gives the video's queue id. */
async function makeMedia(baseUrl: string, folder: string): Promise<string> {
  const admin = createFarebox({ baseUrl, apiKey: adminKey })
  const input =
    'This is how I sound when I read a fare table aloud, slowly, from the first zone to the last one.'
  const speech = await admin.createSpeech({ input, speed: 0.6, response_format: 'wav' })
  await writeFile(join(folder, 'voice.wav'), new Uint8Array(await speech.arrayBuffer()))
  const { queue_id } = await admin.queueVideo({
    model: 'local-test-clip',
    prompt: 'A tram',
    duration: '2s',
    resolution: '256p',
  })
  const clip = await admin.generateVideo({ model: 'local-test-clip', queue_id }, { pollMs: 100 })
  await clip.body?.cancel()
  return queue_id
}

/** The id of a key that samples change. */
async function makeKey(baseUrl: string): Promise<string> {
  return (
    await createFarebox({ baseUrl, apiKey: adminKey }).createApiKey({
      apiKeyType: 'INFERENCE',
      description: 'Nightly summaries',
    })
  ).id
}
