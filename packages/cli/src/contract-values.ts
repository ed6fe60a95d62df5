import { tools } from '@farebox/mcp'
import type { Command, Flag } from './command.js'

/** The command with the values of the contract as choices of its options. */
export function withContractValues(command: Command): Command {
  return { ...command, flags: command.flags.map(withValues) }
}

function withValues(flag: Flag): Flag {
  const choices = flag.schema === undefined ? [] : valuesOf(...flag.schema)
  return choices.length === 0 ? flag : { ...flag, choices }
}

/** The values that the contract allows for a named schema. */
function valuesOf(operation: string, name: string): readonly string[] {
  const definitions = tools.find((tool) => tool.name === operation)?.inputSchema['$defs']
  const schemas = definitions as Readonly<Record<string, { readonly enum?: readonly unknown[] }>> | undefined
  return (schemas?.[name]?.enum ?? []).filter((value) => typeof value === 'string')
}
