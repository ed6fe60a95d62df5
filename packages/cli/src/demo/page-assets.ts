/** Colours are chosen for a contrast of at least 4.5 to 1 in both themes. */
export const style = `
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
[data-stage="payment required"] { color: var(--warn) } [data-stage="repeat with payment"], [data-stage="charge"] { color: var(--good) } [data-stage="refusal"] { color: var(--bad) }
dl { margin: 0 } dl div { display: grid; grid-template-columns: minmax(6rem, 1fr) 3fr; gap: .5rem } dt { color: var(--dim); overflow-wrap: anywhere } dd { margin: 0 }
:focus-visible { outline: 2px solid var(--mark); outline-offset: 2px }
.skip { position: absolute; left: -99rem } .skip:focus { position: static }
`

/** Adds new calls without touching those that are open, and replaces the balance and the ledger. */
export const script = `
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
