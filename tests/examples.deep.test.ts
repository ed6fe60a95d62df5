import { spawn, spawnSync } from 'node:child_process'
import { cpSync, existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { generatePrivateKey, privateKeySigner } from '@farebox/auth/keys'
import { startLocalService, type LocalService } from '@farebox/samples/local-service'
import { launchChromium } from '@farebox/testing/launch-chromium'
import { startListening } from '@farebox/testing/start-listening'
import { createTemporaryFolder } from './temporary-folder.js'
import { root } from './tree.js'

let service: LocalService
beforeAll(async () => {
  service = await startLocalService()
})
afterAll(() => service.stop())

const tested = new Set<string>()

/** A copy of an example with the packages that are installed for it. */
function copyExample(name: string): string {
  tested.add(name)
  const { folder, remove } = createTemporaryFolder(`example-${name}`)
  onTestFinished(remove)
  const from = join(root, 'examples', name)
  const isSource = (path: string) => !/\/(?:node_modules|dist|api)$/.test(path)
  cpSync(from, folder, { recursive: true, filter: isSource })
  symlinkSync(join(from, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

function run(folder: string, command: string, env: NodeJS.ProcessEnv = {}): string {
  const { status, stdout, stderr } = spawnSync(command, {
    cwd: folder,
    shell: true,
    encoding: 'utf8',
    env: { ...process.env, ...service.environment, NO_COLOR: '1', ...env },
  })
  if (status !== 0) throw new Error(`${command}\n${stdout}${stderr}`)
  return stdout
}

it('first-paid-call buys credit and pays a cent', () => {
  const env = { FAREBOX_API_KEY: undefined }
  expect(run(copyExample('first-paid-call'), 'npm run -s start', env)).toMatch(
    /^credited 5 USD to 0x\w{40}\nparsed: Zone A to C: 2\.40\nleft: 4\.99 USD\n$/,
  )
})

it('sdk-with-api-key speaks and reads a file', () => {
  const folder = copyExample('sdk-with-api-key')
  expect(run(folder, 'npm run -s start')).toMatch(
    /^wrote tickets\.wav\n\d+ tokens: Zone A to C: 2\.40 USD\n$/,
  )
  expect(readFileSync(join(folder, 'tickets.wav'), 'latin1')).toMatch(/^RIFF/)
})

it('openai-with-wallet buys credit and speaks', () => {
  const folder = copyExample('openai-with-wallet')
  expect(run(folder, 'npm run -s start')).toMatch(
    /^topped up 0x[\dA-Fa-f]{40}: 200\nwrote tickets\.wav\n$/,
  )
  expect(readFileSync(join(folder, 'tickets.wav'), 'latin1')).toMatch(/^RIFF/)
})

it('wallet-in-browser pays and speaks with the wallet of a browser', async () => {
  const folder = copyExample('wallet-in-browser')
  run(folder, 'npm run -s compile')
  const origin = await serveFolder(folder)
  const browser = await launchChromium()
  onTestFinished(() => browser.close())
  const page = await browser.newPage()
  const wallet = privateKeySigner(generatePrivateKey())
  await page.exposeFunction('ask', async (method: string, params: readonly string[]) => {
    if (method === 'eth_requestAccounts') return [wallet.address]
    if (method === 'personal_sign')
      return wallet.sign(Buffer.from((params[0] ?? '').slice(2), 'hex').toString())
    return wallet.signTypedData(JSON.parse(params[1] ?? '') as never)
  })
  await page.addInitScript(() => {
    type Call = { readonly method: string; readonly params?: readonly string[] }
    const { ask } = window as unknown as { readonly ask: (...call: unknown[]) => Promise<unknown> }
    const request = ({ method, params = [] }: Call) => ask(method, params)
    Object.assign(window, { ethereum: { request } })
  })
  const address = encodeURIComponent(service.environment['FAREBOX_BASE_URL'] ?? '')
  await page.goto(`${origin}/index.html?service=${address}`)
  await page.getByRole('button', { name: 'Speak' }).click()
  const status = page.getByRole('status')
  await expect.poll(() => status.textContent()).toMatch(/^4\.99\d* USD left$/)
  expect(await page.locator('audio').getAttribute('src')).toMatch(/^blob:/)
})

it('generated-client calls its own server', () => {
  const folder = copyExample('generated-client')
  expect(run(folder, 'npm run -s start')).toContain(
    "[ 'north 4' ]\n3.4 USD\nfull; the next one leaves at 09:15\n",
  )
})

it('gateway bills a tenant for the work of its upstream', async () => {
  const folder = copyExample('gateway')
  const upstream = createServer((request, response) => {
    request.resume()
    response.setHeader('content-type', 'audio/mpeg')
    response.end(Buffer.from('fffb9064', 'hex'))
  })
  onTestFinished(() => void upstream.close())
  const origin = await startListening(upstream)
  const upstreams = join(folder, 'upstreams.yml')
  const text = readFileSync(upstreams, 'utf8')
  writeFileSync(upstreams, text.replace('http://127.0.0.1:8880', origin))

  const key = run(folder, 'npm run -s tenant').trim().split('\n').at(-1) ?? ''
  const gateway = spawn('npm run -s start -- --port 0', {
    cwd: folder,
    shell: true,
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const stop = async () => {
    if (gateway.exitCode !== null || gateway.signalCode !== null) return
    process.kill(-(gateway.pid ?? 0), 'SIGTERM')
    await once(gateway, 'exit')
  }
  onTestFinished(stop)
  let printed = ''
  gateway.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()))
  await expect.poll(() => printed).toMatch(/listening on http/)
  const [, gatewayUrl] = /listening on (http:\/\/[^\s/]+)/.exec(printed) ?? []
  const response = await fetch(`${gatewayUrl}/api/v1/audio/speech`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'tts-kokoro', voice: 'af_sky', input: 'Two tickets, please.' }),
  })
  expect(response.status, await response.text()).toBe(200)
  await stop()
  // 20 characters at 5 USD for a million; the work cost 0.8 USD for a million
  expect(run(folder, 'npm run -s report')).toMatch(/tts-kokoro,1,0,0\.000100,.*,0\.000016,/)
})

it('follow-a-contract names the line that a change concerns', () => {
  const folder = copyExample('follow-a-contract')
  run(folder, 'npm run -s codegen && npx tsc --noEmit')
  const git = 'git -c user.name=a -c user.email=a@example.com -c init.defaultBranch=main'
  run(folder, `${git} init -q && ${git} add . && ${git} commit -qm "Vendor the contract"`)
  const contract = join(folder, 'vendor/openapi.yaml')
  const text = readFileSync(contract, 'utf8')
  writeFileSync(contract, text.replace('required: [line, at]', 'required: [line]'))
  const review = run(folder, 'npm run -s review')
  expect(review).toMatch(/major/)
  expect(review).toMatch(/src\/main\.ts:7/)
})

it('every example is run here', () => {
  const folders = readdirSync(join(root, 'examples')).filter((name) =>
    existsSync(join(root, 'examples', name, 'package.json')),
  )
  expect([...tested].toSorted()).toEqual(folders.toSorted())
})

async function serveFolder(folder: string): Promise<string> {
  const types: Readonly<Record<string, string>> = { html: 'text/html', js: 'text/javascript' }
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://page')
    const file = join(folder, pathname)
    if (!existsSync(file)) {
      response.writeHead(404).end()
      return
    }
    response.setHeader('content-type', types[pathname.split('.').at(-1) ?? ''] ?? 'text/plain')
    response.end(readFileSync(file))
  })
  onTestFinished(() => void server.close())
  return startListening(server)
}
