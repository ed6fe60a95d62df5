import { findBudgetFault } from '@farebox/testing/byte-budget'
import { findAxeFaults, loadAxe } from '../axe.js'
import { watch } from '../watch.js'
import { createExpect, openContext, submit, type Visit, createVisitor } from './visitor.js'

/** The page has the whole contract. */
const budget = { what: 'the page of the service', most: 671_547 }
const phone = 375

const looks = [
  { name: 'dark', theme: 'dark', width: 1600 },
  { name: 'light', theme: 'light', width: 1600 },
  { name: 'phone', theme: 'light', width: phone },
] as const

/** Checks the reference at the root of a service, which uses the same bundle. */
export async function checkServicePage({
  browser,
  service: { origin: service },
  faults: all,
}: Visit): Promise<void> {
  const context = await openContext(browser)
  const tab = await context.newPage()
  const { faults, bytes } = await watch(tab, service, 'the page of the service')
  const expect = createExpect(faults, 'the page of the service')
  const { press, text } = createVisitor(tab, '#queueVideo')
  await tab.goto(service, { waitUntil: 'load' })
  faults.push(...[findBudgetFault(budget, bytes())].flatMap((fault) => fault ?? []))
  await tab.locator('#queueVideo > summary').click()
  expect('its top-up', await press('.fbr-top-up'), /^200 /)
  expect('a queued video', await press(submit), /^200 /)
  await tab.locator('#retrieveVideo > summary').click()
  const other = createVisitor(tab, '#retrieveVideo')
  expect(
    'the wallet of another operation',
    await other.text('.fbr-who code'),
    await text('.fbr-who code'),
  )
  expect(
    'the queue id of another operation',
    await tab.locator('#retrieveVideo').getByLabel('queue_id required').inputValue(),
    /^\S{8,}$/,
  )

  await tab.evaluate(() =>
    document.querySelectorAll('details').forEach((details) => (details.open = true)),
  )
  await tab.waitForFunction(isShown)
  await loadAxe(tab)
  for (const { name, theme, width } of looks) {
    await tab.emulateMedia({ colorScheme: theme })
    await tab.setViewportSize({ width, height: 800 })
    faults.push(
      ...(await findAxeFaults(tab)).map(
        (fault) => `the page of the service (${name}) axe ${fault}`,
      ),
    )
  }
  const width = await tab.evaluate(() => document.documentElement.scrollWidth)
  if (width > phone)
    faults.push(`the page of the service is ${width} pixels wide on a phone of ${phone}`)
  await context.close()
  // a top-up begins with a 402, which browsers report as an error
  all.push(...faults.filter((fault) => !fault.includes('402 (Payment Required)')))
}

/** Runs in the page: the console of an operation renders once it is open. */
function isShown(): boolean {
  return [...document.querySelectorAll('farebox-console')].every(
    (one) => one.querySelector('form') !== null,
  )
}
