import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { generatePrivateKey, privateKeySigner } from '@farebox/auth/keys'
import { createClient } from '@farebox/client'
import { createFarebox, type Farebox } from 'farebox'
import { print, step, table } from './narrate.js'
import { startService, type LocalService } from './service.js'

const keep = process.argv.includes('--keep')
const fixture = (name: string) => fileURLToPath(new URL(`../../../packages/service/fixtures/${name}`, import.meta.url))

const adminKey = `farebox-quickstart-${randomBytes(16).toString('hex')}`
const service = await step(
  'Start the service',
  () => startService(adminKey),
  ({ origin, pid }) => `${origin}, process ${pid}`,
)
let finished = false
try {
  await tour(service)
  finished = true
} finally {
  if (keep && finished) leaveRunning(service, adminKey)
  else await service.stop()
}

async function tour({ origin }: LocalService): Promise<void> {
  const baseUrl = `${origin}/api/v1`
  const wallet = await step(
    'Make a throw-away EVM wallet',
    async () => privateKeySigner(generatePrivateKey()),
    ({ address }) => address,
  )
  const farebox = createFarebox({ baseUrl, wallet })

  await step(
    'Ask what a top-up costs',
    () => createClient({ baseUrl }).topUp({}),
    (answer) =>
      (answer.status === 402 ? answer.error.accepts : [])
        .map((offer) => `${Number(offer.amount) / 1e6} USDC on ${offer.network} to ${offer.payTo}`)
        .join('\n'),
  )
  await step(
    'Pay 5 USD (one signed transfer authorization)',
    () => farebox.topUp(5),
    ({ amountCredited, newBalance, paymentId }) => `credited ${usd(amountCredited)}, balance ${usd(newBalance)}, payment ${paymentId}`,
  )
  for (const name of ['fare-table.pdf', 'fare-table.docx']) await parse(farebox, name)
  await step(
    'Read the balance',
    () => farebox.balance(),
    ({ balanceUsd }) => usd(balanceUsd),
  )

  const rows: string[][] = []
  await step(
    'Walk the ledger',
    async () => {
      for await (const entry of farebox.transactions()) {
        rows.push([entry.createdAt, entry.type, entry.amount.toFixed(2), entry.balanceAfter.toFixed(2), entry.modelId ?? '-'])
      }
    },
    () => `${rows.length} entries, newest first`,
  )
  print(`\n${table(['when', 'type', 'USD', 'balance', 'model'], rows)}`)
}

async function parse(farebox: Farebox, name: string): Promise<void> {
  const bytes = await readFile(fixture(name))
  await step(
    `Have ${name} parsed (${bytes.length} bytes)`,
    () => farebox.parseText({ file: new File([bytes], name), response_format: 'json' }),
    (result) => (typeof result === 'string' ? excerpt(result) : `${result.tokens} tokens: ${excerpt(result.text)}`),
  )
}

function leaveRunning(local: LocalService, key: string): void {
  local.leave()
  const { origin, pid, data } = local
  const base = `${origin}/api/v1`
  print(`
The service is still running at ${base}. Call it with curl:

  curl -i -X POST ${base}/x402/top-up
  curl -H "Authorization: Bearer ${key}" -F file=@${fixture('fare-table.pdf')} ${base}/augment/text-parser

Its data and log are in ${data}. End it with: kill ${pid}`)
}

function usd(amount: number): string {
  return `${amount.toFixed(2)} USD`
}

function excerpt(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > 90 ? `"${line.slice(0, 90)} ..."` : `"${line}"`
}
