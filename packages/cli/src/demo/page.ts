import { createHash } from 'node:crypto'
import type { Exchange, HeaderLine, LiveState } from './live.js'
import { formatUsd } from './tour.js'

/** The parts of the page that change, as HTML. */
export type Parts = { readonly balance: string; readonly trace: string; readonly ledger: string }

/** The page with its first state, which is readable without scripts. */
export function renderPage(state: LiveState): string {
  const { balance, trace, ledger } = renderParts(state)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Farebox demo</title>
<style>${style}</style>
</head>
<body>
<a class="skip" href="#trace">To the wire trace</a>
<header>
<h1>Farebox demo</h1>
<p>A service and a throw-away wallet on this machine. No chain, no money. Send calls with the commands in your terminal, and watch them here.</p>
<p id="status" role="status">This is the state when the page was loaded. Reload it for a newer one.</p>
</header>
<main>
<section aria-labelledby="wallet-title">
<h2 id="wallet-title">Wallet</h2>
<p><code>${escapeHtml(state.address)}</code></p>
<p class="balance" id="balance" aria-live="polite">${balance}</p>
<p>Base URL <code>${escapeHtml(state.baseUrl)}</code></p>
</section>
<section aria-labelledby="ledger-title">
<h2 id="ledger-title">Ledger</h2>
<div class="scroll" tabindex="0" role="region" aria-labelledby="ledger-title">
<table><thead><tr><th scope="col">Time</th><th scope="col">Type</th><th scope="col">Amount</th><th scope="col">Balance</th><th scope="col">Model</th></tr></thead>
<tbody id="ledger">${ledger}</tbody></table>
</div>
</section>
<section class="wide" aria-labelledby="trace-title">
<h2 id="trace-title">Wire trace</h2>
<p>Newest first. Open a call to see its headers; credentials are shortened.</p>
<ol id="trace" reversed>${trace}</ol>
</section>
</main>
<script>${script}</script>
</body>
</html>
`
}

export function renderParts({ balanceUsd, entries, exchanges }: LiveState): Parts {
  return {
    balance: formatUsd(balanceUsd),
    trace: exchanges.map(renderExchange).join('\n'),
    ledger: entries
      .map(({ createdAt, type, amount, balanceAfter, modelId }) =>
        renderRow([createdAt, type, formatUsd(amount), formatUsd(balanceAfter), modelId ?? '']),
      )
      .join('\n'),
  }
}

function renderExchange({
  id,
  at,
  method,
  path,
  status,
  ms,
  stage,
  sent,
  received,
}: Exchange): string {
  return `<li id="x${id}" value="${id}"><details><summary><span class="stage" data-stage="${escapeHtml(stage)}">${escapeHtml(stage)}</span> <code>${escapeHtml(`${method} ${path}`)}</code> <b>${status}</b> <span class="ms">${ms} ms</span></summary>
<p><time datetime="${escapeHtml(at)}">${escapeHtml(at)}</time></p>
${renderHeaders('Request', sent)}
${renderHeaders('Response', received)}
</details></li>`
}

function renderHeaders(title: string, lines: readonly HeaderLine[]): string {
  const items = lines.map(
    ([name, value]) => `<div><dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd></div>`,
  )
  return `<h3>${title}</h3>${items.length === 0 ? '<p>no headers of interest</p>' : `<dl>${items.join('')}</dl>`}`
}

function renderRow(cells: readonly string[]): string {
  return `<tr>${cells.map((cell) => `<td>${escapeHtml(cell)}</td>`).join('')}</tr>`
}

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

function hashForPolicy(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`
}

/** Colours are chosen for a contrast of at least 4.5 to 1 in both themes. */
const style = `
:root { color-scheme: light dark; --ink: #1b1d22; --dim: #565b66; --paper: #fff; --card: #f5f6f8; --line: #d5d8de; --mark: #0b5fbf; --good: #17692f; --warn: #8a4b00; --bad: #a8201a }
@media (prefers-color-scheme: dark) { :root { --ink: #e9ebef; --dim: #a5abb8; --paper: #14161a; --card: #1e2127; --line: #3a3f49; --mark: #7db7ff; --good: #74d28f; --warn: #f2b25e; --bad: #ff8f87 } }
* { box-sizing: border-box }
body { margin: 0 auto; max-width: 76rem; padding: 1.5rem; font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper) }
h1, h2, h3 { margin: 0 0 .4rem; line-height: 1.2 } h3 { font-size: 1rem; margin-top: .6rem }
p { margin: 0 0 .6rem } #status, .ms, time, th { color: var(--dim) }
main { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr)) }
section { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; padding: 1rem; min-width: 0 } .wide { grid-column: 1 / -1 }
code, dd, td { font-family: ui-monospace, monospace; font-size: .875rem; overflow-wrap: anywhere }
.balance { font-size: 2rem; font-variant-numeric: tabular-nums }
.scroll { overflow: auto; max-height: 16rem } table { border-collapse: collapse; width: 100% } th, td { text-align: left; padding: .25rem .75rem .25rem 0; white-space: nowrap }
ol { list-style: none; margin: 0; padding: 0 } li { border-top: 1px solid var(--line); padding: .4rem 0 } summary { cursor: pointer }
.stage { display: inline-block; min-width: 11.5rem; font-weight: 600; color: var(--mark) }
[data-stage="payment required"] { color: var(--warn) } [data-stage="repeat with payment"], [data-stage="charge"] { color: var(--good) } [data-stage="rejection"] { color: var(--bad) }
dl { margin: 0 } dl div { display: grid; grid-template-columns: minmax(6rem, 1fr) 3fr; gap: .5rem } dt { color: var(--dim); overflow-wrap: anywhere } dd { margin: 0 }
:focus-visible { outline: 2px solid var(--mark); outline-offset: 2px }
.skip { position: absolute; left: -99rem } .skip:focus { position: static }
`

/** Adds new calls without touching those that are open, and replaces the balance and the ledger. */
const script = `
const at = (id) => document.getElementById(id)
const events = new EventSource('/demo/events')
events.onopen = () => { at('status').textContent = 'Live: this page follows the service.' }
events.onerror = () => { at('status').textContent = 'The demo has ended, or cannot be reached. This is its last state.' }
events.onmessage = ({ data }) => {
  const { balance, trace, ledger } = JSON.parse(data)
  if (at('balance').textContent !== balance) at('balance').textContent = balance
  at('ledger').innerHTML = ledger
  const fresh = document.createElement('template')
  fresh.innerHTML = trace
  for (const item of [...fresh.content.children].reverse()) if (!at(item.id)) at('trace').prepend(item)
}
`

/** Only inline scripts of the page may run, and they may only read the events. */
export const contentSecurityPolicy = [
  "default-src 'none'",
  `script-src '${hashForPolicy(script)}'`,
  `style-src '${hashForPolicy(style)}'`,
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')
