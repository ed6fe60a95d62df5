import { launchChromium } from '@farebox/testing/launch-chromium'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findAxeFaults, loadAxe } from './axe.js'

let browser: Browser
let tab: Page
beforeAll(async () => {
  browser = await launchChromium()
  tab = await browser.newPage()
})
afterAll(() => browser.close())

async function listFaults(code: string): Promise<readonly string[]> {
  await tab.setContent(
    `<html lang="en"><title>Code</title><style>pre { background: white } i, b { font: inherit } mark { background: #555 }</style>
     <body style="background: white"><pre><code>${code}</code></pre>`,
  )
  await loadAxe(tab)
  return findAxeFaults(tab)
}

const dark = '<span style="color: #111">const</span>'
const pale = '<span style="color: #ddd">pale</span>'

test.each([
  ['of a first token', pale + dark, 1],
  ['of a later token', dark.repeat(3) + pale, 1],
  ['of tokens that look the same, once', dark + pale.repeat(5), 1],
  ['of a token on another background than one before it', `${dark}<mark>${dark}</mark>`, 1],
  ['of no token', dark.repeat(5), 0],
])('axe finds the contrast %s', async (_what, code, times) => {
  const faults = await listFaults(code)
  expect(faults.map((fault) => fault.replace(/,.*/s, ''))).toEqual(
    times === 0 ? [] : [`color-contrast: ${times} times`],
  )
})
