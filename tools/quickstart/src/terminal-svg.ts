import { stripVTControlCharacters } from 'node:util'

/** A line that a terminal showed, with its escape codes, and when: seconds from the start. */
export type ShownLine = { readonly text: string; readonly at: number }

const lineHeight = 19
const charWidth = 7.85
const columns = 108
const pad = 18
const bar = 34

const code = new RegExp(`${String.fromCodePoint(27)}\\[(\\d+)m`)

/** What the quickstart uses of the escape codes for colours: SGR of ECMA-48. */
const classes: Readonly<Record<string, string>> = { '1': 'b', '2': 'd', '31': 'r', '32': 'g' }

/**
 * Draws what a terminal showed as an SVG that plays it once, as long as it took but at most
 * `longest` seconds. Where a reader asked for less motion, all lines are there from the start.
 */
export function drawTerminal(title: string, lines: readonly ShownLine[], longest = 10): string {
  const width = Math.round(columns * charWidth + 2 * pad)
  const height = bar + lines.length * lineHeight + pad
  const scale = Math.min(1, longest / Math.max(0.001, lines.at(-1)?.at ?? 0))
  const texts = lines.map(({ text, at }, index) => {
    const y = bar + (index + 0.75) * lineHeight
    const delay = (at * scale).toFixed(2)
    return text === ''
      ? ''
      : `<text y="${y}" style="animation-delay:${delay}s">${drawLine(text)}</text>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="t d">
<title id="t">${escapeXml(title)}</title>
<desc id="d">${escapeXml(lines.map(({ text }) => stripVTControlCharacters(text).trim()).join(' · '))}</desc>
<style>
text { font: 13px ui-monospace, 'SF Mono', 'Cascadia Code', 'DejaVu Sans Mono', Menlo, monospace; fill: #e9e7df }
.g { fill: #7fe3a0 } .r { fill: #ff9d8a } .d { fill: #9fa8a5 } .b { font-weight: 700 } .t { fill: #9fa8a5 }
@media (prefers-reduced-motion: no-preference) { text[style] { animation: shown 0.01s both } @keyframes shown { from { opacity: 0 } } }
</style>
<rect width="100%" height="100%" rx="10" fill="#0e191b"/>
<circle cx="20" cy="17" r="5" fill="#ff9d8a"/><circle cx="38" cy="17" r="5" fill="#ffc247"/><circle cx="56" cy="17" r="5" fill="#7fe3a0"/>
<text class="t" x="76" y="21">${escapeXml(title)}</text>
${texts.filter((text) => text !== '').join('\n')}
</svg>
`
}

/** The words of a line, each at its column of the terminal. No font moves them. */
function drawLine(line: string): string {
  let column = 0
  let kind = ''
  return line
    .split(code)
    .map((part, index) => {
      if (index % 2 === 1) {
        kind = classes[part] ?? ''
        return ''
      }
      const from = column
      column += part.length
      return [...cut(part, from).matchAll(/\S+(?: \S+)*/g)]
        .map((match) => drawSpan(match[0], from + match.index, kind))
        .join('')
    })
    .join('')
}

/** What of a part is left of the edge of the terminal. */
function cut(part: string, from: number): string {
  const left = columns - from
  if (left <= 0) return ''
  return part.length > left ? `${part.slice(0, left - 1)}…` : part
}

function drawSpan(text: string, column: number, kind: string): string {
  const place = `x="${(pad + column * charWidth).toFixed(1)}" textLength="${(text.length * charWidth).toFixed(1)}"`
  return `<tspan ${kind === '' ? '' : `class="${kind}" `}${place}>${escapeXml(text)}</tspan>`
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
