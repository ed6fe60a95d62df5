import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { styleText } from 'node:util'
import { memoryPaymentStore } from '@farebox/auth'
import { generatePrivateKey, privateKeySigner } from '@farebox/auth/keys'
import { createClient } from '@farebox/client'
import { createNarrator, describeError } from '@farebox/command-line/narration'
import { createFarebox, type Farebox } from 'farebox'
import { startService, type LocalService } from './service.js'

const keep = process.argv.includes('--keep')
const findFixture = (name: string) =>
  fileURLToPath(new URL(`../../../packages/service/fixtures/${name}`, import.meta.url))

const { print, step } = createNarrator(process.stdout, paint)
const start = performance.now()

try {
  await quickstart()
} catch (error) {
  print(`\n  ${paint('red', describeError(error))}`)
  process.exitCode = 1
}

async function quickstart(): Promise<void> {
  const adminKey = `farebox-quickstart-${randomBytes(16).toString('hex')}`
  const service = await step(
    'Start the service',
    () => startService(adminKey),
    ({ origin, pid }) => `${origin}, process ${pid}`,
  )
  // the service has a process group of its own, which Ctrl-C does not reach
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void service.stop().then(() => process.exit(130)))
  try {
    await runTour(service)
  } catch (error) {
    await service.stop()
    throw error
  }
  if (keep) leaveRunning(service, adminKey)
  else await service.stop()
  showNext()
}

async function runTour({ origin }: LocalService): Promise<void> {
  const baseUrl = `${origin}/api/v1`
  const wallet = await step(
    'Make a throw-away wallet',
    async () => privateKeySigner(generatePrivateKey()),
    ({ address }) => address,
  )
  const farebox = createFarebox({ baseUrl, wallet, payments: { store: memoryPaymentStore() } })

  await step(
    'Ask what a top-up costs',
    () => createClient({ baseUrl }).topUp({}),
    (response) =>
      (response.status === 402 ? response.error.accepts : [])
        .map((offer) => `${Number(offer.amount) / 1e6} USDC on ${offer.network} to ${offer.payTo}`)
        .join('\n'),
  )
  const { amountCredited: paid } = await step(
    'Pay 5 USD with one signature',
    () => farebox.topUp(5),
    ({ amountCredited, newBalance, paymentId }) =>
      `credited ${formatUsd(amountCredited)}, balance ${formatUsd(newBalance)}, payment ${paymentId}`,
  )
  for (const name of ['fare-table.pdf', 'fare-table.docx']) await parse(farebox, name)
  await step(
    'Chat with the test model',
    () => streamChat(farebox),
    ({ answer: response, tokens }) => `${formatExcerpt(response)}, ${tokens} tokens`,
  )
  const { balanceUsd: left } = await step(
    'Read the balance',
    () => farebox.balance(),
    ({ balanceUsd }) => formatUsd(balanceUsd),
  )

  const rows: string[][] = []
  await step(
    'Read the ledger',
    async () => {
      for await (const entry of farebox.transactions()) {
        rows.push([
          entry.createdAt,
          entry.type,
          entry.amount.toFixed(6),
          entry.balanceAfter.toFixed(6),
          entry.modelId ?? '-',
        ])
      }
    },
    () => `${rows.length} entries, newest first`,
  )
  print(`\n${formatTable(['when', 'type', 'USD', 'balance', 'model'], rows)}`)
  const time = ((performance.now() - start) / 1000).toFixed(1)
  print(
    `\n  ${paint('bold', `Paid ${formatUsd(paid)}, spent ${formatUsd(paid - left)}, left ${formatUsd(left)}, in ${time} s.`)}`,
  )
}

async function parse(farebox: Farebox, name: string): Promise<void> {
  const bytes = await readFile(findFixture(name))
  await step(
    `Parse ${name}`,
    () => farebox.parseText({ file: new File([bytes], name), response_format: 'json' }),
    (result) =>
      typeof result === 'string'
        ? formatExcerpt(result)
        : `${bytes.length} bytes, ${result.tokens} tokens: ${formatExcerpt(result.text)}`,
  )
}

async function streamChat(
  farebox: Farebox,
): Promise<{ readonly answer: string; readonly tokens: number }> {
  const chunks = await farebox.createChatCompletion({
    model: 'local-test-chat',
    messages: [{ role: 'user', content: 'How much is a ticket to the lake?' }],
    stream: true,
    stream_options: { include_usage: true },
  })
  let response = ''
  let tokens = 0
  for await (const { choices, usage } of chunks) {
    response += choices[0]?.delta.content ?? ''
    tokens = usage?.total_tokens ?? tokens
  }
  return { answer: response, tokens }
}

function leaveRunning(local: LocalService, key: string): void {
  local.leave()
  const { origin, pid, data } = local
  const base = `${origin}/api/v1`
  print(`
  The service is still running at ${base}. Call it with curl:

    curl -i -X POST ${base}/x402/top-up
    curl -H "Authorization: Bearer ${key}" -F file=@${findFixture('fare-table.pdf')} ${base}/augment/text-parser

  Its data and log are in ${data}. End it with: kill ${pid}`)
}

function showNext(): void {
  const pnpm = 'npx --yes pnpm@12.21.0'
  const rows = [
    ['node tools/quickstart --keep', 'the same, and the service goes on'],
    [`${pnpm} farebox --help`, 'the command: chat, speech, parse, video, top-up'],
    [`${pnpm} site dev`, 'guides, and a reference that makes calls'],
  ]
  const width = Math.max(...rows.map(([command = '']) => command.length))
  print(`\n  ${paint('bold', 'Next')}`)
  for (const [command = '', what] of rows) print(`    ${command.padEnd(width)}   ${what}`)
}

function formatUsd(amount: number): string {
  return `${amount.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 6 })} USD`
}

function formatExcerpt(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > 90 ? `"${line.slice(0, 90)} ..."` : `"${line}"`
}

/** A table of text, its columns of numbers aligned to the right. */
function formatTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  )
  const numeric = (column: number) =>
    rows.length > 0 && rows.every((row) => /^[-+]?\d+(\.\d+)?$/.test(row[column] ?? ''))
  const line = (cells: readonly string[]) =>
    `  ${cells.map((cell, column) => (numeric(column) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0))).join('  ')}`.trimEnd()
  return [paint('dim', line(head)), ...rows.map(line)].join('\n')
}

/** Colours for a terminal that has them, or where FORCE_COLOR asks for them; none with NO_COLOR. */
function paint(style: 'green' | 'red' | 'dim' | 'bold', text: string): string {
  return styleText(style, text, { stream: process.stdout })
}
