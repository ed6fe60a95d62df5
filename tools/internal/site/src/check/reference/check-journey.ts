import { join } from 'node:path'
import type { Locator } from 'playwright-core'
import { root } from '../../folders.js'
import { createExpect, openContext, submit, type Visit, createVisitor } from './visitor.js'

/**
 * Checks one session on several pages: a model without a credential, speech paid by a new wallet, and a
 * video that is queued on one page and retrieved on the next.
 */
export async function checkJourney({
  browser,
  site,
  service: { origin: service },
  faults,
}: Visit): Promise<void> {
  const expect = createExpect(faults, 'reference')
  const context = await openContext(browser)
  const tab = await context.newPage()
  const { follow, press, text, steps } = createVisitor(tab)
  await tab.goto(`${site}api/get-model/`, { waitUntil: 'load' })
  await tab.fill('farebox-console [name=origin]', service)
  await tab.getByLabel('id required').fill('')
  expect(
    'a form without its required field',
    await submitInvalid(tab.locator('farebox-console')),
    /expected|required|invalid/i,
  )
  await tab.getByLabel('id required').fill('tts-kokoro')
  expect('a model', await press(submit), /^200 /)

  await tab.locator('starlight-theme-select select').first().selectOption('light')
  await follow('create-speech')
  expect(
    'the theme on the next page',
    await tab.locator('html').getAttribute('data-theme'),
    'light',
  )
  expect('speech without credit', await press(submit), /^402 /)
  expect('speech, paid and repeated', await press('.fbr-pay'), /^200 /)
  const isPaid = [
    'The wallet signs the sign-in',
    'POST /api/v1/audio/speech 402',
    'POST /api/v1/x402/top-up 402',
    'The wallet signs the payment',
    'POST /api/v1/x402/top-up 200',
    'POST /api/v1/audio/speech 200',
    'TOP_UP 5 USD',
    'CHARGE -',
    'Credit after this: 4.9',
  ]
  const seen = await steps()
  for (const step of isPaid)
    expect('the trace', seen.filter((line) => line.startsWith(step)).length > 0 ? step : seen, step)
  expect('the trace, which has no credentials', await findSecrets(tab.locator('.fbr-trace')), '[]')
  expect('the ledger', await text('.fbr-ledger table'), /CHARGE.*TOP_UP/)

  await follow('parse-text')
  await tab
    .locator('farebox-console input[type=file]')
    .setInputFiles(join(root, 'packages/service/fixtures/fare-table.pdf'))
  expect('a document', await press(submit), /^200 /)

  await follow('queue-video')
  await tab.getByText('more fields').click()
  await tab.getByRole('button', { name: 'Add to elements' }).click()
  await tab.getByLabel('frontal_image_url').fill('a picture')
  expect(
    'what is wrong within a list',
    await submitInvalid(tab.locator('farebox-console')),
    /invalid/i,
  )
  expect(
    'the same as JSON',
    await tab.getByLabel('Body as JSON').inputValue(),
    /"elements": \[\s+\{\s+"frontal_image_url": "a picture"/,
  )
  await tab.getByRole('button', { name: 'Remove elements 1' }).click()
  expect('a queued video', await press(submit), /^200 /)
  const wallet = await text('.fbr-who code')
  await follow('retrieve-video')
  const queued = await tab.getByLabel('queue_id required').inputValue()
  expect('the queue id on the next page', queued, /^\S{8,}$/)
  expect('the video', await press(submit), /^200 /)
  expect('the wallet on the next page', await text('.fbr-who code'), wallet)

  const storage = () =>
    tab.evaluate(() => JSON.stringify([localStorage, sessionStorage, document.cookie]))
  expect(
    'what is stored unasked',
    /0x[0-9a-f]{40}|bearer|sign-in/i.exec(await storage()) ?? 'nothing',
    'nothing',
  )
  await tab.check('farebox-console [name=keep]')
  await tab.reload({ waitUntil: 'load' })
  await tab.locator('.fbr-who code').waitFor()
  expect('the kept wallet', await text('.fbr-who code'), wallet)
  await tab.getByRole('button', { name: 'Forget all' }).click()
  expect(
    'what is stored after it is forgotten',
    /farebox-session/.exec(await storage()) ?? 'nothing',
    'nothing',
  )
  await context.close()
}

/** Submits an invalid form, and returns the text beside the focused field. */
async function submitInvalid(scope: Locator): Promise<string> {
  await scope.locator(submit).click()
  const wrong = scope.locator('[aria-invalid=true]').first()
  await wrong.waitFor()
  return wrong.evaluate((field) => {
    const description = document.querySelector(`[id="${field.getAttribute('aria-describedby')}"]`)
    return field === document.activeElement
      ? (description?.textContent ?? '')
      : 'a field without the focus'
  })
}

/** Finds strings in the trace that look like a signature or a key. */
async function findSecrets(scope: Locator): Promise<string> {
  const text = (await scope.textContent()) ?? ''
  return JSON.stringify(text.match(/0x[0-9a-f]{128,}|[A-Za-z0-9+/]{200,}/g) ?? [])
}
