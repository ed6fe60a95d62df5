/** System fonts, in light or dark colours. */
export const referenceStyle = `
:root { color-scheme: light dark; --ink: #1c2430; --soft: #5b6675; --ground: #fbfbf9; --card: #fff; --line: #dfe3e8; --accent: #0b6b58; --code: #f0f2f0; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6eaef; --soft: #9aa7b6; --ground: #12161c; --card: #191f27; --line: #2c3540; --accent: #58c9ae; --code: #222a34; }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 16px/1.55 system-ui, sans-serif; }
main, header, footer { max-width: 58rem; margin: 0 auto; padding: 0 1.25rem; }
header { padding-top: 2.5rem; }
h1 { margin: 0; font-size: 2rem; line-height: 1.2; }
h2 { margin: 2.5rem 0 .75rem; font-size: 1.35rem; }
h3, h4 { margin: 1.5rem 0 .5rem; font-size: 1.05rem; }
p { margin: .6rem 0; }
a { color: var(--accent); }
a:focus-visible, summary:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
code, pre { font: .875em/1.5 ui-monospace, monospace; }
code { background: var(--code); padding: .1em .3em; border-radius: 4px; overflow-wrap: anywhere; }
pre { background: var(--code); padding: .9rem 1rem; border-radius: 8px; overflow-x: auto; margin: .75rem 0; }
pre code { background: none; padding: 0; }
.soft { color: var(--soft); }
nav ul { list-style: none; margin: 0; padding: 0; display: grid; gap: .15rem 1.5rem; grid-template-columns: repeat(auto-fill, minmax(17rem, 1fr)); }
nav a { text-decoration: none; }
nav a:hover { text-decoration: underline; }
details { background: var(--card); border: 1px solid var(--line); border-radius: 10px; margin: .6rem 0; }
summary { cursor: pointer; padding: .7rem 1rem; display: flex; flex-wrap: wrap; gap: .25rem .75rem; align-items: baseline; }
details[open] > summary { border-bottom: 1px solid var(--line); }
.method { font: 600 .8rem ui-monospace, monospace; color: var(--accent); min-width: 3rem; }
.path { font: .9rem ui-monospace, monospace; overflow-wrap: anywhere; }
.inside { padding: .25rem 1rem 1rem; }
.table { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .92rem; }
th, td { text-align: left; vertical-align: top; padding: .4rem .75rem .4rem 0; border-bottom: 1px solid var(--line); }
th { color: var(--soft); font-weight: 600; }
td:first-child code { white-space: nowrap; }
td p { margin: 0 0 .3rem; }
footer { padding-top: 2rem; padding-bottom: 3rem; font-size: .92rem; }
`
