import { expected } from '@farebox/command-line'
import { shells, type Shell } from '@farebox/command-line/completion'
import type { Run } from '../command.js'
import { withContractValues } from '../contract-values.js'
import { print } from '../terminal.js'

export const completion: Run = async ({ arguments: { operands }, program, terminal }) => {
  const [name = ''] = operands
  const names = Object.keys(shells) as Shell[]
  const shell = names.find((known) => known === name)
  if (shell === undefined) throw expected('SHELL', name, `one of ${names.join(', ')}`)
  await print(terminal, shells[shell]({ ...program, commands: (program.commands ?? []).map(withContractValues) }))
  return 0
}
