import type { Flag } from './command.js'

/** The file that a command writes. */
export const output: Flag = {
  name: 'output',
  kind: 'text',
  short: 'o',
  value: 'FILE',
  help: 'the output file; - is stdout',
  completes: 'file',
}

export const idempotencyKey: Flag = {
  name: 'idempotency-key',
  kind: 'text',
  value: 'KEY',
  help: 'a repeat with the same key is not charged again',
}

/** Of every command that costs something. */
export const yes: Flag = {
  name: 'yes',
  kind: 'switch',
  short: 'y',
  help: 'do not ask about the price',
}

/** An option with a value. */
export function text(name: string, value: string, help: string): Flag {
  return { name, kind: 'text', value, help }
}

/** An option without a value. */
export function toggle(name: string, help: string): Flag {
  return { name, kind: 'switch', help }
}
