import type { Run } from '../command.js'
import { shells, type Shell } from '../completion/shells.js'
import { UsageError } from '../errors.js'
import { print } from '../terminal.js'

export const completion: Run = async ({ arguments: { operands }, commands, terminal }) => {
  const [name = ''] = operands
  const names = Object.keys(shells) as Shell[]
  const shell = names.find((known) => known === name)
  if (shell === undefined) throw new UsageError(`The shell is ${JSON.stringify(name)}; expected one of ${names.join(', ')}.`)
  await print(terminal, shells[shell](commands))
  return 0
}
