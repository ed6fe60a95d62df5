import { createHash } from 'node:crypto'
import { script } from './script.js'

/**
 * A table that the script fills, in a region that the keyboard can scroll. A head that begins with
 * `#` stands above numbers.
 */
const table = (
  id: string,
  title: string,
  heads: readonly string[],
) => `<div class="scroll" tabindex="0" role="region" aria-label="Table: ${title}">
<table><thead><tr>${heads.map((head) => `<th scope="col"${head.startsWith('#') ? ' class="number"' : ''}>${head.replace('#', '')}</th>`).join('')}</tr></thead><tbody id="${id}"></tbody></table></div>
<p class="dim" id="${id}-note" role="status"></p>`

const section = (id: string, title: string, content: string) =>
  `<section id="${id}" aria-labelledby="${id}-title"><h2 id="${id}-title">${title}</h2>\n${content}\n</section>`

const choice = (id: string, label: string, values: readonly string[]) =>
  `<label>${label} <select id="${id}"><option value="">all</option>${values.map((value) => `<option>${value}</option>`).join('')}</select></label>`

const sections = [
  section('overview', 'Overview', '<dl class="tiles" id="tiles"></dl>'),
  section(
    'money',
    'Money by day',
    `<p class="dim">Sums of the ledger in US dollars by day in UTC; the bars are what was charged, with daily credit.</p><svg id="chart" viewBox="0 0 300 60" preserveAspectRatio="none" role="img" aria-label="Charges by day; the table has the figures"></svg>${table('money-rows', 'Money by day', ['Day', 'Type', '#Entries', '#USD', '#Daily credit'])}${table('margin-rows', 'Revenue, cost and margin by day', ['Day', '#Requests', '#Charged', '#Refunded', '#Cost', '#Margin'])}`,
  ),
  section(
    'accounts',
    'Accounts',
    `<form class="bar" id="find-account"><label>Name, wallet, key, ledger entry, request or transaction <input id="account-text" autocomplete="off" spellcheck="false"></label><button>Find</button><button type="button" id="credit-account" hidden>Credit an account</button></form>${table(
      'account-rows',
      'Accounts',
      [
        'Account',
        'State',
        '#Spendable',
        '#Held',
        '#Daily credit left',
        '#Entries',
        'Rate limits',
        'Opened',
        'Actions',
      ],
    )}`,
  ),
  section(
    'keys',
    'API keys and their limits',
    `<div class="bar">${choice('key-state', 'State', ['active', 'expired', 'revoked'])}<button type="button" id="create-key" hidden>New key</button></div>${table('key-rows', 'API keys', ['Account', 'Description', 'Type', 'State', 'Limit', 'Consumed', 'Last used', 'Actions', 'Id'])}`,
  ),
  section(
    'jobs',
    'Video jobs',
    `<div class="bar">${choice('job-state', 'State', ['queued', 'running', 'completed', 'failed'])}</div>${table('job-rows', 'Video jobs', ['Created', 'State', 'Account', 'Model', '#Price', '#Attempts', 'Finished', 'Failure', 'Id'])}`,
  ),
  section(
    'upstreams',
    'Parts and upstreams of this process',
    `<ul class="bar plain" id="checks"></ul>${table('upstream-rows', 'Upstreams', ['Metric', 'Labels', '#Value'])}`,
  ),
  section(
    'errors',
    'Recent errors of this process',
    `<form class="bar" id="find-error"><label>Request id <input id="request-id" autocomplete="off" spellcheck="false"></label><button>Find</button></form>${table('error-rows', 'Recent errors', ['Time', 'Request id', 'Operation', 'Status', 'Code', 'What'])}`,
  ),
  section(
    'audit',
    'Audit of the ledger',
    `<p id="audit-result"></p>${table('audit-rows', 'Differences', ['Account', 'Difference'])}`,
  ),
]

const links = [
  ['overview', 'Overview'],
  ['money', 'Money'],
  ['accounts', 'Accounts'],
  ['keys', 'Keys'],
  ['jobs', 'Jobs'],
  ['upstreams', 'Upstreams'],
  ['errors', 'Errors'],
  ['audit', 'Audit'],
]

/** The body of the page, without anything of the service. */
export const markup = `<a class="skip" href="#content">To the content</a>
<header><h1>Farebox operator</h1><span class="dim" id="status" role="status"></span>
<span class="bar end" id="tools" hidden><button type="button" id="refresh">Refresh</button><button type="button" id="leave">Forget the key</button></span></header>
<main id="content" tabindex="-1">
<section id="enter" aria-labelledby="enter-title"><h2 id="enter-title">Key of the operator</h2>
<form id="enter-form"><p><label>The key in FAREBOX_OPERATOR_KEY. This tab only keeps it in memory. <input id="operator-key" type="password" autocomplete="off" required></label></p>
<p class="bad" id="enter-error" role="alert"></p><button class="main">Open</button></form></section>
<div id="pages" hidden><nav aria-label="Sections"><ul>${links.map(([id, title]) => `<li><a href="#${id}">${title}</a></li>`).join('')}</ul></nav>
${sections.join('\n')}</div>
</main>
<dialog id="ledger" aria-labelledby="ledger-title"><div class="bar"><h2 id="ledger-title">Ledger</h2><button type="button" class="end" id="close-ledger">Close</button></div>
${table('entry-rows', 'Entries', ['Time', 'Type', '#Amount', '#Balance after', 'Model', 'By', 'Why', 'Request id', 'Entry', 'Actions'])}</dialog>
<dialog id="change" class="small" aria-labelledby="change-title"><h2 id="change-title">Change</h2><form id="change-form"><div id="change-fields"></div>
<p class="bad" id="change-error" role="alert"></p><div class="bar"><button class="main" id="change-do">Save</button><button type="button" id="change-close">Close</button></div></form></dialog>
<noscript><p>This page needs its script, which it brings along.</p></noscript>`

/** Colours have a contrast of at least 4.5 to 1 in both themes. */
export const style = `
:root { color-scheme: light dark; --ink: #1b1d22; --dim: #565b66; --paper: #fff; --card: #f5f6f8; --line: #d5d8de; --mark: #0b5fbf; --on-mark: #fff; --good: #17692f; --bad: #a8201a }
@media (prefers-color-scheme: dark) { :root { --ink: #e9ebef; --dim: #a5abb8; --paper: #14161a; --card: #1e2127; --line: #3a3f49; --mark: #7db7ff; --on-mark: #10151c; --good: #74d28f; --bad: #ff8f87 } }
* { box-sizing: border-box }
body { margin: 0 auto; max-width: 88rem; padding: 1.25rem; font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper) }
h1, h2 { margin: 0 0 .5rem; line-height: 1.2 } h1 { font-size: 1.4rem } h2 { font-size: 1.05rem }
p { margin: 0 0 .6rem } .dim, th, dt { color: var(--dim) } .good { color: var(--good) } .bad { color: var(--bad) }
header, .bar { display: flex; flex-wrap: wrap; gap: .6rem; align-items: center } header { margin-bottom: 1rem } header h1 { margin: 0 } .end { margin-left: auto }
nav ul { display: flex; flex-wrap: wrap; gap: .25rem 1rem; list-style: none; margin: 0 0 1rem; padding: 0 } a { color: var(--mark) }
#pages > * { margin-bottom: 1rem } main:focus { outline: none } section { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; padding: 1rem; min-width: 0; scroll-margin-top: 1rem }
.tiles { display: grid; gap: .75rem; grid-template-columns: repeat(auto-fit, minmax(8.5rem, 1fr)); margin: 0 } .tiles div { min-width: 0 } dd { margin: 0; font-size: 1.3rem; font-variant-numeric: tabular-nums; overflow-wrap: anywhere }
.scroll { overflow: auto; max-height: 24rem; margin-top: .5rem } table { border-collapse: collapse; width: 100% }
th, td { text-align: left; padding: .3rem .9rem .3rem 0; white-space: nowrap; border-bottom: 1px solid var(--line) } td.text { white-space: normal; min-width: 14rem; overflow-wrap: anywhere }
td { font-variant-numeric: tabular-nums } .mono { font-family: ui-monospace, monospace; font-size: .85rem } .number { text-align: right }
.plain { list-style: none; margin: 0; padding: 0 } svg { display: block; width: 100%; height: 6rem } svg rect { fill: var(--mark) }
button, input, select { font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--dim); border-radius: .4rem; padding: .3rem .7rem; min-height: 2rem }
button { cursor: pointer } button.main { background: var(--mark); border-color: var(--mark); color: var(--on-mark) } button:disabled { opacity: .6; cursor: default }
label { display: grid; gap: .2rem } form p { margin: .6rem 0 } .bar label { display: flex; align-items: center; gap: .4rem } td button { padding: 0 .5rem; margin-right: .3rem }
dialog { color: inherit; background: var(--paper); border: 1px solid var(--dim); border-radius: .6rem; padding: 1.25rem; width: min(94vw, 64rem) } dialog.small { width: min(94vw, 30rem) } dialog::backdrop { background: rgb(0 0 0 / .5) }
:focus-visible { outline: 2px solid var(--mark); outline-offset: 2px } .skip { position: absolute; left: -99rem } .skip:focus { position: static } [hidden] { display: none !important }
`

/** The page in one file. It holds nothing of the service, and asks for nothing from elsewhere. */
const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Farebox operator</title>
<style>${style}</style>
</head>
<body>
${markup}
<script>${script}</script>
</body>
</html>
`

/** The page may only use its own script and style, and only call its own origin. */
const headers = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': [
    "default-src 'none'",
    `script-src '${hashForPolicy(script)}'`,
    `style-src '${hashForPolicy(style)}'`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; '),
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cross-origin-opener-policy': 'same-origin',
}

export function operatorPage(): Response {
  return new Response(page, { headers })
}

function hashForPolicy(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`
}
