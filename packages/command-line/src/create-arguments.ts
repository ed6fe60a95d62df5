import type { Command as Parsed } from 'commander'
import type { Arguments, Environment, Flag } from './command.js'
import { expected } from './usage-error.js'

/** The arguments of a command that commander has parsed. */
export function createArguments(
  parsed: Parsed,
  flags: readonly Flag[],
  environment: Environment,
): Arguments {
  const flagOf = (name: string): Flag => {
    const flag = flags.find((one) => one.name === name)
    if (flag === undefined)
      throw new Error(`The command ${parsed.name()} does not declare --${name}.`)
    return flag
  }
  const given = (name: string): unknown => {
    for (let command: Parsed | null = parsed; command !== null; command = command.parent) {
      const option = command.options.find(({ long }) => long === `--${name}`)
      if (option !== undefined) return command.getOptionValue(option.attributeName())
    }
    return undefined
  }
  const all = (name: string): readonly string[] => {
    const { variable, fallback } = flagOf(name)
    const values = given(name)
    if (Array.isArray(values)) return values
    const set = variable === undefined ? undefined : environment[variable]
    const one = set === undefined || set === '' ? fallback : set
    return one === undefined ? [] : [one]
  }
  const text = (name: string): string | undefined => all(name).at(-1)
  const read = <Value>(
    name: string,
    what: string,
    convert: (value: string) => Value | undefined,
  ): Value | undefined => {
    const value = text(name)
    if (value === undefined) return undefined
    const converted = convert(value)
    if (converted === undefined) throw expected(`--${name}`, value, what)
    return converted
  }
  return {
    operands: parsed.args,
    all,
    text,
    // the value of a flag such as --no-audio is false where it is given
    has: (name) => {
      const { kind, variable } = flagOf(name)
      const isSet = variable !== undefined && environment[variable] === '1'
      return kind === 'switch' && (given(name) === !name.startsWith('no-') || isSet)
    },
    number: (name, least = -Infinity) =>
      read(name, `a number such as 2.5${least > -Infinity ? `, ${least} or more` : ''}`, (value) =>
        /^-?(?:\d+\.?\d*|\.\d+)$/.test(value) && Number(value) >= least ? Number(value) : undefined,
      ),
    integer: (name, from, to) =>
      read(name, `an integer from ${from} to ${to}`, (value) =>
        /^-?\d+$/.test(value) && Number(value) >= from && Number(value) <= to
          ? Number(value)
          : undefined,
      ),
    choice: (name, choices) =>
      read(name, `one of ${choices.join(', ')}`, (value) =>
        choices.find((choice) => choice === value),
      ),
  }
}
