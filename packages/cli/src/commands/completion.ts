import { expected } from '@farebox/command-line'
import { shells, type Shell } from '@farebox/command-line/completion'
import type { CommandHandler, Command, Flag } from '../command.js'
import { print } from '../io/terminal.js'
import { tools } from '@farebox/mcp'

export const completion: CommandHandler = async ({
  arguments: { operands },
  program,
  terminal,
}) => {
  const [name = ''] = operands
  const names = Object.keys(shells) as Shell[]
  const shell = names.find((shellName) => shellName === name)
  if (shell === undefined) throw expected('SHELL', name, `one of ${names.join(', ')}`)
  await print(
    terminal,
    shells[shell]({ ...program, commands: (program.commands ?? []).map(withContractValues) }),
  )
  return 0
}

/** The command with the values of the contract as choices of its options. */
function withContractValues(command: Command): Command {
  return { ...command, flags: command.flags.map(withValues) }
}

function withValues(flag: Flag): Flag {
  const choices = flag.schema === undefined ? [] : listValues(...flag.schema)
  return choices.length === 0 ? flag : { ...flag, choices }
}

/** The values that the contract allows for a named schema. */
function listValues(operation: string, name: string): readonly string[] {
  const definitions = tools.find((tool) => tool.name === operation)?.inputSchema['$defs']
  const schemas = definitions as
    | Readonly<Record<string, { readonly enum?: readonly unknown[] }>>
    | undefined
  return (schemas?.[name]?.enum ?? []).filter((value) => typeof value === 'string')
}
