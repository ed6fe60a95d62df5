import { createHash } from 'node:crypto'
import type { Exchange, HeaderLine, LiveState } from './live.js'
import { script, style } from './page-assets.js'
import { formatUsd } from './tour.js'

/** The parts of the page that change, as HTML. */
export type Parts = { readonly balance: string; readonly trace: string; readonly ledger: string }

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
    trace: exchanges.map(exchangeHtml).join('\n'),
    ledger: entries
      .map(({ createdAt, type, amount, balanceAfter, modelId }) =>
        rowHtml([createdAt, type, formatUsd(amount), formatUsd(balanceAfter), modelId ?? '']),
      )
      .join('\n'),
  }
}

function exchangeHtml({
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
${headersHtml('Request', sent)}
${headersHtml('Response', received)}
</details></li>`
}

function headersHtml(title: string, lines: readonly HeaderLine[]): string {
  const items = lines.map(
    ([name, value]) => `<div><dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd></div>`,
  )
  return `<h3>${title}</h3>${items.length === 0 ? '<p>no headers of interest</p>' : `<dl>${items.join('')}</dl>`}`
}

function rowHtml(cells: readonly string[]): string {
  return `<tr>${cells.map((cell) => `<td>${escapeHtml(cell)}</td>`).join('')}</tr>`
}

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

function hashForPolicy(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`
}
