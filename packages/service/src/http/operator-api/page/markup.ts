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
<form id="enter-form"><p><label>The key in FAREBOX_OPERATOR_KEY. This tab keeps it in memory alone. <input id="operator-key" type="password" autocomplete="off" required></label></p>
<p class="bad" id="enter-error" role="alert"></p><button class="main">Open</button></form></section>
<div id="pages" hidden><nav aria-label="Sections"><ul>${links.map(([id, title]) => `<li><a href="#${id}">${title}</a></li>`).join('')}</ul></nav>
${sections.join('\n')}</div>
</main>
<dialog id="ledger" aria-labelledby="ledger-title"><div class="bar"><h2 id="ledger-title">Ledger</h2><button type="button" class="end" id="close-ledger">Close</button></div>
${table('entry-rows', 'Entries', ['Time', 'Type', '#Amount', '#Balance after', 'Model', 'By', 'Why', 'Request id', 'Entry', 'Actions'])}</dialog>
<dialog id="change" class="small" aria-labelledby="change-title"><h2 id="change-title">Change</h2><form id="change-form"><div id="change-fields"></div>
<p class="bad" id="change-error" role="alert"></p><div class="bar"><button class="main" id="change-do">Save</button><button type="button" id="change-close">Close</button></div></form></dialog>
<noscript><p>This page needs its script, which it brings along.</p></noscript>`
