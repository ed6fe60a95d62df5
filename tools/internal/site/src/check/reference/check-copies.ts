import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root } from '../../folders.js'
import { createExpect, openContext, submit, type Visit, createVisitor } from './visitor.js'

/** A folder in which `farebox` and `openai` are installed. */
const installed = join(root, 'packages/docs/samples')

const copies = [
  { name: 'curl', run: ['bash', '-euo', 'pipefail', '-c'], expected: /"queue_id":/ },
  {
    name: 'SDK',
    run: [process.execPath, '--input-type=module', '--eval'],
    expected: /queue_id: '/,
  },
  {
    name: 'openai',
    run: [process.execPath, '--input-type=module', '--eval'],
    expected: /^200 application\/json/,
  },
] as const

/** Checks that the code of "Copy as" sends the same call with an API key. */
export async function checkCopies({
  browser,
  site,
  service: { origin, adminKey },
  faults,
}: Visit): Promise<void> {
  const expect = createExpect(faults, 'copy as')
  const context = await openContext(browser)
  const tab = await context.newPage()
  const { press, text } = createVisitor(tab)
  await tab.goto(`${site}api/queue-video/`, { waitUntil: 'load' })
  await tab.fill('farebox-console [name=origin]', origin)
  await tab.selectOption('farebox-console [name=access]', 'key')
  await tab.fill('farebox-console [name=key]', adminKey)
  await tab.getByLabel('prompt required').fill(`It's "dawn"\nin $HOME`)
  expect('the call', await press(submit), /^200 /)
  expect('the credit of the key', await text('.fbr-balance'), /^\d[\d.]* USD$/)
  for (const {
    name,
    run: [command, ...args],
    expected,
  } of copies) {
    await tab.locator('.fbr-copy').getByRole('button', { name, exact: true }).click()
    const code = (await tab.getByLabel(`As ${name}`, { exact: true }).textContent()) ?? ''
    expect(`${name}, which has no key`, code.includes(adminKey) ? 'the key' : 'no key', 'no key')
    const env = { ...process.env, FAREBOX_API_KEY: adminKey }
    const { stdout } = await promisify(execFile)(command, [...args, code], { cwd: installed, env })
    expect(`what ${name} prints`, stdout, expected)
  }
  await context.close()
}
