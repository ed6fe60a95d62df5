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
