import { expect, it } from 'vitest'
import { drawTerminal } from './terminal-svg.js'

const lines = [
  { text: 'Start', at: 0 },
  { text: '  \u001B[32m✓\u001B[39m Pay <5> & go', at: 10 },
  { text: '', at: 11 },
  { text: `\u001B[2m${'x'.repeat(200)}\u001B[22m`, at: 20 },
]

it('shows each line at its time, within the maximum duration', () => {
  const svg = drawTerminal('run', lines, 5)
  expect([...svg.matchAll(/animation-delay:([\d.]+)s/g)].map(([, delay]) => delay)).toEqual([
    '0.00',
    '2.50',
    '5.00',
  ])
})

it('plays in real time if short enough', () => {
  expect(drawTerminal('run', lines, 60)).toContain('animation-delay:20.00s')
})

it('has the terminal colors, and cuts a line at its width', () => {
  const svg = drawTerminal('run', lines)
  expect(svg).toContain(
    '<tspan class="g" x="33.7" textLength="7.8">✓</tspan><tspan x="49.4" textLength="94.2">Pay &lt;5&gt; &amp; go</tspan></text>',
  )
  expect(svg).toContain(`textLength="847.8">${'x'.repeat(107)}…</tspan>`)
})

it('has a text alternative', () => {
  expect(drawTerminal('run', lines.slice(0, 2))).toContain(
    '<desc id="d">Start · ✓ Pay &lt;5&gt; &amp; go</desc>',
  )
})
