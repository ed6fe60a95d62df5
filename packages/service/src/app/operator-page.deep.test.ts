import { createHash } from 'node:crypto'
import axe from 'axe-core'
import { launchChromium } from '@farebox/testing/launch-chromium'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startService, type Harness } from '../../test/harness.js'
import { serveOperator } from '../command/serve.js'

const operatorKey = 'operator-key-of-the-test'

type Browser = Awaited<ReturnType<typeof launchChromium>>
type Page = Awaited<ReturnType<Browser['newPage']>>
type TestServer = {
  readonly harness: Harness
  readonly url: string
  readonly close: () => Promise<void>
}
let changing: TestServer
let reading: TestServer
let browser: Browser
beforeAll(async () => {
  changing = await serve(true)
  reading = await serve(false)
  browser = await launchChromium()
})
afterAll(async () => {
  await browser.close()
  await Promise.all([changing.close(), reading.close()])
})

async function serve(operatorChanges: boolean): Promise<TestServer> {
  const harness = await startService({ operatorKey, operatorChanges })
  const settings = { host: '127.0.0.1', port: 0, key: operatorKey, changes: operatorChanges }
  const { url, close } = await serveOperator(settings, harness.service.operator)
  const { ledger } = harness
  await ledger.grant('key:tram', 5_000_000n)
  const held = await ledger.hold(
    { account: 'key:tram', amount: 750_000n, requestId: 'r1', modelId: null },
    60_000,
  )
  await ledger.capture(held.status === 'held' ? held.id : '', 250_000n, 'tts-kokoro')
  return {
    harness,
    url,
    close: async () => {
      await close()
      await harness.service.close()
    },
  }
}

/** A page that has the key, entered with the keyboard alone, and what went wrong in it. */
async function openPage({ url, harness }: TestServer, size = { width: 1280, height: 900 }) {
  const page = await browser.newPage({ viewport: size })
  // the test has a time limit of its own
  page.setDefaultTimeout(0)
  await page.clock.setFixedTime(harness.clock.time)
  const problems: string[] = []
  page.on('console', (message) => problems.push(message.text()))
  page.on('pageerror', (error) => problems.push(error.message))
  page.on(
    'request',
    (request) => void (request.url().startsWith(`${url}/`) || problems.push(request.url())),
  )
  await page.goto(url)
  const enter = async (key: string) => {
    await page.getByLabel('The key in FAREBOX_OPERATOR_KEY').focus()
    await page.keyboard.type(key)
    await page.keyboard.press('Enter')
  }
  return { page, problems, enter }
}

const open = async (
  served: TestServer,
  size?: { readonly width: number; readonly height: number },
) => {
  const found = await openPage(served, size)
  await found.enter(operatorKey)
  await found.page.getByText(/^As of /).waitFor()
  return found
}

const sections = ['Overview', 'Money', 'Accounts', 'Debts', 'Keys', 'Jobs', 'Errors', 'Audit']

/** Follows the link of a section, and waits for what it loads. */
const show = async (page: Page, section: string) => {
  await page.getByRole('link', { name: section, exact: true }).press('Enter')
  await page.locator('nav a[aria-current]', { hasText: section }).waitFor()
  await page.waitForFunction(() => !/Loading|Reading every/.test(document.body.innerText))
}

const readCells = (page: Page, rows: string) =>
  page
    .locator(`#${rows} tr`)
    .evaluateAll((all) =>
      all.map((row) => [...row.children].map(({ textContent }) => textContent ?? '')),
    )

/** What axe finds in a theme. */
async function findViolations(
  page: Page,
  colorScheme: 'dark' | 'light',
): Promise<readonly string[]> {
  await page.emulateMedia({ colorScheme })
  // not by a script element, which the policy of the page rejects
  await page.evaluate(`${axe.source}; 0`)
  return page.evaluate(async () => {
    const { axe: loaded } = globalThis as unknown as { readonly axe: typeof axe }
    const { violations: found } = await loaded.run()
    return found.map(
      ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' ')}`,
    )
  })
}

describe("the operator's page", () => {
  it('is one file that runs only its own script and style and names no other host', async () => {
    const response = await fetch(changing.url)
    const html = await response.text()
    const policy = response.headers.get('content-security-policy') ?? ''
    for (const tag of ['script', 'style']) {
      const [, source = ''] = new RegExp(`<${tag}>(.*?)</${tag}>`, 's').exec(html) ?? []
      expect(policy).toContain(
        `${tag}-src 'sha256-${createHash('sha256').update(source).digest('base64')}'`,
      )
    }
    expect(policy).toMatch(/^default-src 'none'; /)
    expect(policy).not.toContain('unsafe')
    // a name, not an address
    expect(html.replaceAll(/http:\/\/www\.w3\.org\/[\w/]+/g, '')).not.toMatch(/https?:\/\//)
    expect(html).not.toContain(operatorKey)
  })

  it('shows nothing with a wrong key, and balances, money, keys, errors and the audit with the right one', async () => {
    const { page, problems, enter } = await openPage(reading)
    await enter('not-the-key-at-all')
    await page.getByText('This is not the key of the operator.').waitFor()
    expect(await page.getByRole('navigation').count()).toBe(0)
    // Chromium reports the status of a rejected request, which is 401
    expect(problems.splice(0)).toEqual([expect.stringContaining('401')])

    const rejected = await reading.harness.call('listModels', '/models', {
      headers: { authorization: 'Bearer wrong' },
    })
    await enter(operatorKey)
    await page.getByText(/^As of /).waitFor()
    await page.getByText('1 of 1 ready').waitFor()
    expect(await page.locator('#tiles').textContent()).toMatch(
      /Balances, USD104\.75.*1 of 1 ready.*reads only/,
    )
    await page.getByText('database: ok').waitFor()
    await show(page, 'Accounts')
    const [newest] = await readCells(page, 'account-rows')
    expect(newest?.slice(0, 7)).toEqual([
      'key:tram',
      'open',
      '4.75',
      '0.00',
      '0.00',
      '2',
      'default',
    ])
    await show(page, 'Money')
    expect(await readCells(page, 'margin-rows')).toEqual([
      ['2026-01-02', '1', '0.25', '0.00', 'not known', 'not known'],
    ])
    expect(await readCells(page, 'money-rows')).toContainEqual([
      '2026-01-02',
      'CHARGE',
      '1',
      '-0.25',
      '0.00',
    ])
    expect(
      await page
        .locator('#chart rect')
        .evaluateAll((bars) => bars.map((bar) => bar.getAttribute('height'))),
    ).toEqual([...Array.from({ length: 29 }, () => '1'), '59'])
    await show(page, 'Errors')
    const [error] = await readCells(page, 'error-rows')
    expect(error?.slice(1, 5)).toEqual([
      rejected.headers.get('x-request-id'),
      'listModels',
      '401',
      'AUTHENTICATION_FAILED',
    ])
    await show(page, 'Audit')
    expect(await page.locator('#audit-result').textContent()).toContain(
      'Every balance is the sum of its entries',
    )
    await show(page, 'Accounts')
    await page.getByRole('button', { name: 'Ledger of key:tram' }).press('Enter')
    await page.getByRole('dialog').waitFor()
    await expect
      .poll(async () => (await readCells(page, 'entry-rows')).map((row) => row[1]))
      .toEqual(['CHARGE', 'GRANT'])
    await page.keyboard.press('Escape')
    expect(await page.getByRole('dialog').count()).toBe(0)
    for (const section of sections) {
      await show(page, section)
      expect(
        await page
          .getByRole('button', {
            name: /New key|Limit|Rotate|Revoke|Credit|Debit|Freeze|Write off/,
          })
          .count(),
      ).toBe(0)
    }

    // somebody changes a balance by hand
    await reading.harness.database.query(
      `update account set balance = balance + 1 where name = 'key:tram'`,
    )
    reading.harness.clock.time += 60_000
    await show(page, 'Audit')
    await page.getByRole('button', { name: 'Refresh' }).press('Enter')
    await page.getByText('1 difference').waitFor()
    expect(await readCells(page, 'audit-rows')).toEqual([
      ['key:tram', expect.stringContaining('4750001') as string],
    ])
    expect(problems).toEqual([])
    await page.close()
  })

  it('finds an account, moves its money with a reason, and freezes it', async () => {
    const { page, problems } = await open(changing)
    const press = async (name: string) => page.getByRole('button', { name }).press('Enter')
    const account = async () => (await readCells(page, 'account-rows'))[0]?.slice(0, 3)
    await page.getByRole('searchbox').fill('tra')
    await page.keyboard.press('Enter')
    await expect.poll(account).toEqual(['key:tram', 'open', '4.75'])
    await press('Debit key:tram')
    await page.getByLabel('US dollars').fill('9')
    await page.getByLabel('Why').fill('a chargeback')
    await page.keyboard.press('Enter')
    await page.getByText('the account can spend 4.750000 USD').waitFor()
    await page.getByLabel('US dollars').fill('1.5')
    await page.keyboard.press('Enter')
    await expect.poll(account).toEqual(['key:tram', 'open', '3.25'])
    await press('Ledger of key:tram')
    await page.getByRole('button', { name: /^Refund led_/ }).press('Enter')
    await page.getByLabel('US dollars').fill('0.1')
    await page.getByLabel('Why').fill('<b>half of it</b>')
    await page.keyboard.press('Enter')
    await expect
      .poll(async () => (await readCells(page, 'entry-rows'))[0]?.slice(1, 7))
      .toEqual(['REFUND', '0.10', '3.35', 'tts-kokoro', 'operator', '<b>half of it</b>'])
    await page.keyboard.press('Escape')
    await press('Freeze key:tram')
    await page.getByLabel('Why').fill('a stolen card')
    await page.keyboard.press('Enter')
    await expect.poll(account).toEqual(['key:tram', 'frozen by operator: a stolen card', '3.35'])
    await press('Unfreeze key:tram')
    await page.getByRole('dialog').getByRole('button', { name: 'Unfreeze' }).press('Enter')
    await expect.poll(account).toEqual(['key:tram', 'open', '3.35'])
    expect(await changing.harness.ledger.audit()).toEqual([])
    // of the debit that was too much
    expect(problems).toEqual([expect.stringContaining('400 (Bad Request)') as string])
    await page.close()
  })

  it('changes keys by keyboard if the operator allows it, shows a secret once, and escapes markup in descriptions', async () => {
    const { page, problems } = await open(changing)
    const press = async (name: string, key = 'Enter') =>
      page.getByRole('button', { name }).press(key)
    await show(page, 'Keys')
    await press('New key')
    await page.getByLabel('Account: key:').fill('key:bus')
    await page.getByLabel('What it is for').fill('<i id=foreign>bus</i>')
    await page.getByLabel('Limit in USD for').fill('2.5')
    await page.keyboard.press('Enter')
    const secret = await page.locator('#new-secret').textContent()
    const call = async () =>
      (
        await changing.harness.call('listModels', '/models', {
          headers: { authorization: `Bearer ${secret}` },
        })
      ).status
    expect(await call()).toBe(200)
    await press('Close')
    expect(await page.content()).not.toContain(secret)
    expect(await page.locator('#foreign').count()).toBe(0)
    const row = async () => (await readCells(page, 'key-rows'))[0]?.slice(0, 6)
    await expect
      .poll(row)
      .toEqual([
        'key:bus',
        '<i id=foreign>bus</i>',
        'INFERENCE',
        'active',
        '2.5 USD (MONTH)',
        '0.00 USD',
      ])

    await press('Limit of <i id=foreign>bus</i>')
    await page.getByLabel('USD in the period').fill('')
    await press('Save')
    await expect
      .poll(row)
      .toEqual(['key:bus', '<i id=foreign>bus</i>', 'INFERENCE', 'active', 'none', '0.00 USD'])
    await press('Revoke <i id=foreign>bus</i>')
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).press('Enter')
    await expect
      .poll(row)
      .toEqual(['key:bus', '<i id=foreign>bus</i>', 'INFERENCE', 'revoked', 'none', '0.00 USD'])
    expect(await call()).toBe(401)
    expect(problems).toEqual([])

    await press('Forget the key')
    expect(await page.getByRole('navigation').count()).toBe(0)
    expect(await page.content()).not.toContain('key:bus')
    await page.close()
  })

  it('passes axe in both themes, in a dialog and on a phone, and fits a phone screen', async () => {
    const { page } = await open(changing)
    for (const section of sections) {
      await show(page, section)
      expect([await findViolations(page, 'light'), await findViolations(page, 'dark')]).toEqual([
        [],
        [],
      ])
    }
    await show(page, 'Keys')
    await page.getByRole('button', { name: 'New key' }).click()
    expect([await findViolations(page, 'light'), await findViolations(page, 'dark')]).toEqual([
      [],
      [],
    ])
    await page.close()
    const { page: phone } = await open(changing, { width: 375, height: 800 })
    for (const section of sections) {
      await show(phone, section)
      expect(await findViolations(phone, 'light')).toEqual([])
      expect(await phone.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(
        375,
      )
    }
    await phone.close()
  })
})
