import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { request } from 'node:http'
import { launchChromium } from '@farebox/testing/launch-chromium'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDemoCommand } from '../../test/demo-command.js'
import { waitForExit } from '../../test/farebox-command.js'
import type { Parts } from './page.js'

const { folder, start, close } = createDemoCommand()
const child = start([])
let [printed, origin] = ['', '']
beforeAll(async () => {
  child.stdout.on('data', (part: Buffer) => (printed += part.toString()))
  const exit = once(child, 'exit').then(() => expect.unreachable(`It ended: ${printed}`))
  while (!printed.includes('Ctrl-C ends the demo.'))
    await Promise.race([once(child.stdout, 'data'), exit])
  exit.catch(() => undefined)
  origin = /Live page: (\S+)\/demo/.exec(printed)?.[1] ?? ''
})
afterAll(close)

/** Runs lines that the demo printed, as a user copies them. */
const runShell = (lines: string) =>
  waitForExit(
    spawn('bash', ['-eu', '-c', lines], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env['PATH'], HOME: folder },
    }),
  )

const findSecrets = () =>
  [/PRIVATE_KEY=0x(\w+)/, /Bearer ([\w-]+)/].map(
    (pattern) => pattern.exec(printed)?.[1] ?? 'missing',
  )

function expectNoSecret(text: string): void {
  for (const secret of findSecrets()) expect(text.includes(secret.slice(0, 24))).toBe(false)
  // a signed message or payment in base64
  expect(text).not.toMatch(/eyJ\w{12}/)
}

/** The events as they arrive. */
async function follow(signal: AbortSignal) {
  const response = await fetch(`${origin}/demo/events`, { signal })
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  const body = (response.body ?? expect.unreachable()).pipeThrough(new TextDecoderStream())
  const events: Parts[] = []
  void (async () => {
    let rest = ''
    for await (const text of body) {
      const messages = `${rest}${text}`.split('\n\n')
      rest = messages.pop() ?? ''
      events.push(...messages.map((message) => JSON.parse(message.replace(/^data: /, '')) as Parts))
    }
  })().catch(() => undefined)
  return events
}

describe('the demo', () => {
  it('shows the 402, the payment, the calls and the ledger', () => {
    const steps = [...printed.matchAll(/^ {2}✓ (.+?) {2,}\d+\.\d s$/gm)].map(([, title]) => title)
    expect(steps).toEqual([
      'Start the service',
      'Create a throw-away wallet',
      'Ask what a top-up costs',
      'Sign a payment of 5 USD and send it',
      'Chat, as the response comes',
      'Create speech',
      'Read the balance and the ledger',
    ])
    expect(printed).toMatch(/402 Payment Required\n +5 USDC on base to 0x/)
    const [, spent = '', left = ''] =
      /Paid 5\.00 USD, spent (0\.\d+) USD, left (4\.\d+) USD, in /.exec(printed) ?? []
    expect(Number(spent) + Number(left)).toBeCloseTo(5, 6)
    // the ledger agrees with the totals
    const charges = [...printed.matchAll(/CHARGE +-(0\.\d+) USD/g)].map(([, usd]) => Number(usd))
    expect(charges).toHaveLength(2)
    expect(charges.reduce((sum, usd) => sum + usd, 0)).toBeCloseTo(Number(spent), 6)
    expect(printed).toMatch(new RegExp(`CHARGE +-0\\.\\d+ USD, balance ${left} USD`))
  })
})

describe('the page of the demo', () => {
  it('shows the first state without scripts: the balance, the ledger and the trace, without a secret', async () => {
    const read = async () => (await fetch(`${origin}/demo`)).text()
    const readText = (page: string) =>
      page.replaceAll(/<(script|style)>.*?<\/\1>/gs, '').replaceAll(/<[^>]+>/g, ' ')
    const [, left = 'missing'] = /left (\S+ USD)/.exec(printed) ?? []
    // the account is read again once the last call has ended
    await expect.poll(async () => readText(await read())).toContain(left)
    const html = await read()
    const text = readText(html)
    expect(text).toMatch(/CHARGE\s+-0\.\d+ USD\s.*TOP_UP\s+5\.00 USD/s)
    // newest first: the calls, the payment and the 402 that asked for it
    expect(text).toMatch(
      /charge\s+POST \/api\/v1\/audio\/speech\s.*charge\s+POST \S+chat\/completions\s.*repeat with payment\s+POST \S+top-up\s.*payment required\s+POST \S+top-up/s,
    )
    expect(text).toMatch(/payment-signature\s+eyJ\w{5}… \(\d+ characters\)/)
    expectNoSecret(html)
  })

  it('runs only its own script and style, and names no other host', async () => {
    const response = await fetch(`${origin}/demo`)
    const html = await response.text()
    const policy = response.headers.get('content-security-policy') ?? ''
    for (const tag of ['script', 'style']) {
      const [, source = ''] = new RegExp(`<${tag}>(.*?)</${tag}>`, 's').exec(html) ?? []
      const hash = createHash('sha256').update(source).digest('base64')
      expect(policy).toContain(`${tag}-src 'sha256-${hash}'`)
    }
    expect(policy).toMatch(/^default-src 'none'; /)
    expect(policy).not.toContain('unsafe')
    expect(html.replaceAll(origin, '')).not.toMatch(/https?:\/\//)
  })

  it('tells of the calls of the printed commands as they happen', async () => {
    const over = new AbortController()
    const events = await follow(over.signal)
    const [, wallet = ''] = /(export FAREBOX_BASE_URL.*?top-up 5\n)/s.exec(printed) ?? []
    expect(await runShell(wallet)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('5 USD credited') as string,
    })
    await expect.poll(() => events.at(-1)?.balance).toMatch(/^9\.9\d+ USD$/)
    expect(events.at(-1)?.ledger.match(/TOP_UP/g)).toHaveLength(2)

    const curl = printed.match(/^ +curl .*$/gm) ?? []
    expect(curl).toHaveLength(2)
    expect(await runShell(curl.join('\n'))).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('HTTP/1.1 402') as string,
    })
    await expect
      .poll(() => events.at(-1)?.trace)
      .toMatch(/^<li id="x\d+".*POST \/api\/v1\/audio\/speech.*Bearer farebox-… /s)
    expectNoSecret(JSON.stringify(events))
    over.abort()
  })

  it('is local: a request with another host name is rejected, and so is a method that changes things', async () => {
    const foreign = request(`${origin}/demo`, { headers: { host: 'rebound.example' } }).end()
    const [rejected] = (await once(foreign, 'response')) as [
      { readonly statusCode: number; readonly resume: () => void },
    ]
    rejected.resume()
    expect(rejected.statusCode).toBe(403)
    expect((await fetch(`${origin}/demo`, { method: 'POST' })).status).toBe(405)
  })

  it('follows the service in a browser, and leaves what the reader opened as it is', async () => {
    const browser = await launchChromium()
    try {
      const page = await browser.newPage()
      // the test has a time limit of its own
      page.setDefaultTimeout(0)
      const problems: string[] = []
      page.on('console', (message) => problems.push(message.text()))
      page.on('pageerror', (error) => problems.push(error.message))
      await page.goto(`${origin}/demo`)
      await page.getByText('Live: this page follows the service.').waitFor()
      await page.locator('summary').first().focus()
      await page.keyboard.press('Enter')
      const opened = (await page.locator('#trace > li').first().getAttribute('id')) ?? ''
      const call = await fetch(`${origin}/api/v1/x402/top-up?seen`, {
        method: 'POST',
        headers: { 'idempotency-key': '<i id=foreign>' },
      })
      await call.arrayBuffer()
      await page.getByText('POST /api/v1/x402/top-up?seen').waitFor()
      expect(await page.locator(`#${opened} > details`).getAttribute('open')).toBe('')
      expect(await page.locator('#foreign').count()).toBe(0)
      expect(problems).toEqual([])
    } finally {
      await browser.close()
    }
  })

  it('ends with Ctrl-C while a page follows it, and the service and its folder with it', async () => {
    await follow(new AbortController().signal)
    const exit = once(child, 'exit')
    child.kill('SIGINT')
    expect(await exit).toEqual([0, null])
    await expect(fetch(`${origin}/demo`)).rejects.toThrow('fetch failed')
    expect(readdirSync(folder).filter((name) => name.startsWith('farebox-demo-'))).toEqual([])
  })
})
