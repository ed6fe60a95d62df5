/** Reads the API and fills the tables. All that the service says becomes text, never markup. */
const reading = String.raw`
const at = (id) => document.getElementById(id)
let key = ''
let mayChange = false

async function ask(path, method = 'GET', body) {
  const response = await fetch('/operator/v1' + path, {
    method, cache: 'no-store', headers: { authorization: 'Bearer ' + key, 'content-type': 'application/json' }, body: body && JSON.stringify(body),
  })
  const answer = await response.json()
  if (response.status === 401) leave('This is not the key of the operator.')
  if (!response.ok) throw new Error(answer.error)
  return answer
}

const make = (name, props = {}, children = []) => {
  const element = Object.assign(document.createElement(name), props)
  element.append(...children)
  return element
}
const money = (usd) => usd.toFixed(Math.abs(usd * 100 - Math.round(usd * 100)) > 1e-6 ? 6 : 2)
const date = (text) => (text ? text.replace('T', ' ').replace(/\.\d+Z$/, 'Z') : '')
const number = (text) => make('td', { className: 'number', textContent: text })
const mono = (text) => make('td', { className: 'mono', textContent: text || '' })
const long = (text) => make('td', { className: 'text', textContent: text || '' })
const button = (text, label, onclick) => make('button', { type: 'button', textContent: text, ariaLabel: label, onclick })

function fill(id, rows, hasMore, none = 'None.') {
  const cells = (row) => row.map((cell) => (cell instanceof Node ? cell : make('td', { textContent: cell })))
  at(id).replaceChildren(...rows.map((row) => make('tr', {}, cells(row))))
  at(id + '-note').textContent = rows.length === 0 ? none : hasMore ? 'These are the newest ' + rows.length + '; there are more.' : ''
}

function chart(flow) {
  const days = new Map()
  for (const { day, type, usd, dailyCredit } of flow) if (type === 'CHARGE') days.set(day, -usd - dailyCredit)
  const last = Date.now()
  const values = Array.from({ length: 30 }, (_, back) => days.get(new Date(last - (29 - back) * 864e5).toISOString().slice(0, 10)) || 0)
  const most = Math.max(...values, 1e-9)
  at('chart').replaceChildren(...values.map((value, place) => {
    const bar = document.createElementNS('http://www.w3.org/2000/svg', 'rect')
    const height = (58 * value) / most
    for (const [name, amount] of [['x', place * 10 + 1], ['width', 8], ['y', 60 - height - 1], ['height', height + 1]]) bar.setAttribute(name, amount)
    return bar
  }))
}

/** An audit of a large ledger may take too long. The rest of the page does without it. */
const auditOrReason = () => ask('/audit').catch((error) => ({ reason: 'The audit did not end: ' + error.message, consistent: false, faults: [] }))

const parts = {
  async overview() {
    const [{ totals }, health, audit] = await Promise.all([ask('/accounts?limit=1'), ask('/health'), auditOrReason()])
    mayChange = health.allowsChanges
    at('create-key').hidden = at('credit-account').hidden = !mayChange
    const tile = (name, value, kind = '') => make('div', {}, [make('dt', { textContent: name }), make('dd', { textContent: value, className: kind })])
    at('tiles').replaceChildren(
      tile('Accounts', totals.accounts), tile('Balances, USD', money(totals.balance)), tile('Held, USD', money(totals.held)),
      tile('Service', health.ready ? 'ready' : 'not ready', health.ready ? 'good' : 'bad'),
      tile('Ledger', audit.reason ? 'not checked' : audit.consistent ? 'consistent' : audit.faults.length + (audit.faults.length === 1 ? ' difference' : ' differences'), audit.consistent ? 'good' : 'bad'),
      tile('This page', mayChange ? 'may change keys and move money' : 'reads only'),
    )
    at('checks').replaceChildren(...Object.entries(health.checks).map(([name, state]) => make('li', { className: state === 'ok' ? 'good' : 'bad', textContent: name + ': ' + state })))
    fill('upstream-rows', health.upstreams.map(({ name, labels, value }) => [
      name, Object.entries(labels).map(([label, text]) => label + '=' + text).join(', '), number(String(Math.round(value * 1e3) / 1e3)),
    ]), false, 'No upstream was called yet.')
    at('audit-result').textContent = audit.reason || 'Checked at ' + date(audit.checkedAt) + ': ' + (audit.consistent ? 'every balance is the sum of its entries.' : 'the ledger does not add up.')
    at('audit-result').className = audit.consistent ? 'good' : 'bad'
    fill('audit-rows', audit.faults.map(({ account, fault }) => [mono(account), long(fault)]), false, audit.reason ? '' : 'No differences.')
  },
  async money() {
    const [{ flow }, { usage }] = await Promise.all([ask('/money?days=30'), ask('/usage?by=day')])
    const known = (usd) => number(usd === null ? 'not known' : money(usd))
    chart(flow)
    fill('money-rows', flow.map(({ day, type, entries, usd, dailyCredit }) => [day, type, number(entries), number(money(usd)), number(money(dailyCredit))]), false, 'No entries in 30 days.')
    fill('margin-rows', usage.toReversed().map((one) => [one.day, number(one.requests), number(money(one.charged)), number(money(one.refunded)), known(one.cost), known(one.margin)]), false, 'No charges in 30 days.')
  },
  async accounts() {
    const text = at('account-text').value.trim()
    const { found, accounts, hasMore } = await ask(text ? '/find?q=' + encodeURIComponent(text) : '/accounts?limit=200')
    const shown = found ? [...new Map(found.map(({ account }) => [account.account, account])).values()] : accounts
    fill('account-rows', shown.map((one) => [
      mono(one.account),
      make('td', { className: one.frozen ? 'bad' : 'dim', textContent: one.frozen ? 'frozen by ' + one.frozen.by + ': ' + one.frozen.reason : 'open' }),
      number(money(one.spendable)), number(money(one.held)), number(money(one.dailyCreditLeft)), number(one.entries),
      one.partner ? 'partner' : 'default', date(one.createdAt),
      make('td', {}, [button('Ledger', 'Ledger of ' + one.account, () => openLedger(one.account)), ...(mayChange ? correctionsOf(one) : [])]),
    ]), hasMore, text ? 'Nothing was found by ' + text + '.' : 'None.')
  },
  async keys() {
    const state = at('key-state').value
    const { keys, hasMore } = await ask('/keys?limit=200' + (state && '&state=' + state))
    fill('key-rows', keys.map((one) => [
      mono(one.account), long(one.description), one.apiKeyType, make('td', { className: one.state === 'active' ? 'good' : 'dim', textContent: one.state }),
      limitOf(one), money(one.consumed.usd) + ' USD' + (one.consumed.diem > 0 ? ', ' + money(one.consumed.diem) + ' diem' : ''), date(one.lastUsedAt) || 'never', make('td', {}, mayChange && one.state === 'active' ? actionsOf(one) : []), mono(one.id),
    ]), hasMore)
  },
  async jobs() {
    const state = at('job-state').value
    const { jobs, hasMore } = await ask('/jobs?limit=200' + (state && '&state=' + state))
    fill('job-rows', jobs.map((one) => [
      date(one.createdAt), one.state, mono(one.account), one.model, number(money(one.price)), number(one.attempts), date(one.finishedAt), long(one.failure), mono(one.id),
    ]), hasMore)
  },
  async errors() {
    const id = at('request-id').value.trim()
    const { errors } = await ask('/errors' + (id && '?requestId=' + encodeURIComponent(id)))
    fill('error-rows', errors.map((one) => [
      date(one.time), mono(one.requestId), one.operation || '', one.status ? String(one.status) : '', one.code || one.upstream || '', long(one.message),
    ]), false, id ? 'This process has no error of this request.' : 'None.')
  },
}

const limitOf = ({ consumptionLimit, limitPeriod }) => {
  const limits = Object.entries(consumptionLimit).map(([unit, amount]) => amount + ' ' + (unit === 'usd' ? 'USD' : unit))
  return limits.length === 0 ? 'none' : limits.join(', ') + ' (' + limitPeriod + ')'
}

async function openLedger(account) {
  const { entries, hasMore } = await ask('/accounts/' + encodeURIComponent(account) + '/entries?limit=100')
  at('ledger-title').textContent = 'Ledger of ' + account
  fill('entry-rows', entries.map((one) => [
    date(one.createdAt), one.type, number(money(one.amount)), number(money(one.balanceAfter)), one.modelId || '', long(one.actor), long(one.reason), mono(one.requestId), mono(one.id),
    make('td', {}, mayChange && one.type === 'CHARGE' ? [button('Refund', 'Refund ' + one.id, () => refund(account, one))] : []),
  ]), hasMore)
  if (!at('ledger').open) at('ledger').showModal()
}

async function show(names = Object.keys(parts)) {
  at('status').textContent = 'Reading…'
  at('refresh').disabled = true
  // the first part says whether keys may be changed
  const problems = []
  for (const name of names) await parts[name]().catch((error) => problems.push(name + ': ' + error.message))
  at('refresh').disabled = false
  if (key !== '') at('status').textContent = problems.length > 0 ? problems.join(' ') : 'As of ' + date(new Date().toISOString()) + '.'
}

function leave(message = '') {
  key = ''
  at('enter-error').textContent = message
  for (const id of ['pages', 'tools']) at(id).hidden = true
  at('enter').hidden = false
  at('status').textContent = ''
  for (const dialog of document.querySelectorAll('dialog[open]')) dialog.close()
  for (const rows of document.querySelectorAll('tbody, #tiles, #checks')) rows.replaceChildren()
  at('operator-key').focus()
}

at('enter-form').onsubmit = async (event) => {
  event.preventDefault()
  key = at('operator-key').value
  at('operator-key').value = ''
  at('enter-error').textContent = ''
  try {
    await ask('/health')
  } catch (error) {
    if (key !== '') leave(error.message)
    return
  }
  at('enter').hidden = true
  for (const id of ['pages', 'tools']) at(id).hidden = false
  at('content').focus({ preventScroll: true })
  await show()
}
at('refresh').onclick = () => show()
at('leave').onclick = () => leave()
at('close-ledger').onclick = () => at('ledger').close()
at('find-account').onsubmit = (event) => { event.preventDefault(); show(['accounts']) }
at('find-error').onsubmit = (event) => { event.preventDefault(); show(['errors']) }
at('key-state').onchange = () => show(['keys'])
at('job-state').onchange = () => show(['jobs'])
`

/**
 * Changes keys and moves money in a dialog. The service rejects them without `--operator-changes`.
 */
const changing = String.raw`
const field = (name, label, props = {}) => make('p', {}, [make('label', { textContent: label + ' ' }, [make('input', { name, autocomplete: 'off', ...props })])])
const amount = { type: 'number', min: 0, step: 'any' }

/** One dialog for every change: its fields, and what to send for their values. */
function change(title, fields, save, send, done = () => show(['keys'])) {
  at('change-title').textContent = title
  at('change-fields').replaceChildren(...fields)
  at('change-error').textContent = ''
  Object.assign(at('change-do'), { textContent: save, hidden: false, disabled: false })
  at('change-form').onsubmit = async (event) => {
    event.preventDefault()
    at('change-do').disabled = true
    try {
      const { secret } = await send(Object.fromEntries(new FormData(at('change-form'))))
      if (secret) showSecret(secret)
      else closeChange()
      await done()
    } catch (error) {
      at('change-error').textContent = error.message
      at('change-do').disabled = false
    }
  }
  if (!at('change').open) at('change').showModal()
}

function showSecret(secret) {
  at('change-title').textContent = 'The secret, shown this once'
  at('change-fields').replaceChildren(make('p', {}, [make('code', { className: 'mono', id: 'new-secret', tabIndex: 0, textContent: secret })]))
  at('change-do').hidden = true
  at('new-secret').focus()
}

const actionsOf = (one) => {
  const path = '/keys/' + one.id
  const name = one.description || one.id
  return [
    button('Limit', 'Limit of ' + name, () => change('Limit of ' + name, [
      field('usd', 'USD in the period; empty for no limit', { ...amount, value: one.consumptionLimit.usd === undefined ? '' : one.consumptionLimit.usd }),
    ], 'Save', ({ usd }) => {
      const { usd: _, ...others } = one.consumptionLimit
      const limit = usd === '' ? others : { ...others, usd: Number(usd) }
      return ask(path, 'PATCH', { consumptionLimit: Object.keys(limit).length === 0 ? null : limit })
    })),
    button('Rotate', 'Rotate ' + name, () => change('New secret for ' + name, [
      field('grace', 'Seconds for which the old secret is accepted too', { type: 'number', min: 0, max: 2592000, value: 0, required: true }),
    ], 'Rotate', ({ grace }) => ask(path + '/rotate', 'POST', { graceSeconds: Number(grace) }))),
    button('Revoke', 'Revoke ' + name, () => change('Revoke ' + name + '?', [
      make('p', { textContent: 'The key ends for good, with all keys that come from it.' }),
    ], 'Revoke', () => ask(path + '/revoke', 'POST'))),
  ]
}

const reason = () => field('reason', 'Why; the ledger keeps it', { required: true, maxLength: 500 })
const usd = (props) => field('usd', 'US dollars', { type: 'number', min: 0.000001, step: 0.000001, required: true, ...props })
const sentence = (text) => make('p', { textContent: text })
const pathOf = (account, action) => '/accounts/' + encodeURIComponent(account) + '/' + action
const showAccounts = () => show(['overview', 'accounts'])

/** Of one dialog, so that a second click, or one after a lost response, moves nothing twice. */
const newKey = () => Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(16)).join('-')

const move = (account, action, title, note) => {
  const key = newKey()
  const fields = [sentence(note), ...(account === '' ? [field('account', 'Account', { required: true, value: 'key:' })] : []), usd(), reason()]
  change(title, fields, title.split(' ')[0], ({ account: other = account, usd, reason }) =>
    ask(pathOf(other, action), 'POST', { amount: Number(usd), reason, key }), showAccounts)
}

const correctionsOf = ({ account, spendable, frozen }) => [
  button('Credit', 'Credit ' + account, () => move(account, 'credit', 'Credit ' + account, 'It can spend ' + money(spendable) + ' USD now.')),
  button('Debit', 'Debit ' + account, () => move(account, 'debit', 'Debit ' + account, 'It can spend ' + money(spendable) + ' USD, and at most this is taken.')),
  frozen
    ? button('Unfreeze', 'Unfreeze ' + account, () => change('Unfreeze ' + account + '?', [sentence('It can be used again at once.')], 'Unfreeze',
        () => ask(pathOf(account, 'unfreeze'), 'POST'), showAccounts))
    : button('Freeze', 'Freeze ' + account, () => change('Freeze ' + account + '?', [
        sentence('It starts no paid work and gets no keys until it is unfrozen. Its balance can still be read.'), reason(),
      ], 'Freeze', ({ reason }) => ask(pathOf(account, 'freeze'), 'POST', { reason }), showAccounts)),
]

function refund(account, { id, amount, dailyCredit }) {
  const key = newKey()
  change('Refund ' + id, [
    sentence('It charged ' + money(-amount - dailyCredit) + ' USD. Earlier refunds count.'),
    usd({ required: false, placeholder: 'all that is left' }), reason(),
  ], 'Refund', ({ usd, reason }) => ask('/entries/' + encodeURIComponent(id) + '/refund', 'POST', { ...(usd !== '' && { amount: Number(usd) }), reason, key }),
  () => Promise.all([openLedger(account), showAccounts()]))
}

at('credit-account').onclick = () => move('', 'credit', 'Credit an account', 'The address of a wallet that has paid once, or key: with a name. An account of keys is opened if necessary.')
at('create-key').onclick = () => change('New API key', [
  field('account', 'Account: key: with a name', { required: true, pattern: 'key:.+', value: 'key:' }),
  field('description', 'What it is for', { maxLength: 64 }),
  field('usd', 'Limit in USD for a month; empty for none', amount),
], 'Create', ({ account, description, usd }) => ask('/keys', 'POST', {
  account, description, ...(usd !== '' && { consumptionLimit: { usd: Number(usd) }, limitPeriod: 'MONTH' }),
}))
const closeChange = () => {
  at('change').close()
  at('change-fields').replaceChildren()
}
at('change-close').onclick = closeChange
at('change').onclose = closeChange
`

export const script = `'use strict'\n${reading}${changing}`
