import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { wrapCommand } from './create-parser.js'

const command = `printf '%s|' tram "two  words" 'it is' --zone 2 --from Harbour && printf '%s' end`

it('does not change a command that fits', () => {
  expect(wrapCommand(command, 200)).toBe(command)
})

it.each([24, 30, 40])('wraps to %i columns, and does the same in a shell', (width) => {
  const wrapped = wrapCommand(command, width)
  expect(wrapped.split('\n').filter((line) => line.length > width)).toEqual([])
  expect(wrapped.split('\n').length).toBeGreaterThan(2)
  expect(spawnSync('sh', ['-c', wrapped], { encoding: 'utf8' }).stdout).toBe(
    'tram|two  words|it is|--zone|2|--from|Harbour|end',
  )
})
