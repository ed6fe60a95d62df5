import type { Arguments, Command, Flag } from '../command.js'

/** What a person typed, which an error is about. */
export type Typed = {
  readonly command: Pick<Command, 'operands' | 'flags' | 'fields'>
  readonly arguments: Pick<Arguments, 'text' | 'operands'>
}

type Place = { readonly spelling: string; readonly found: string | undefined }

/**
 * A message of the SDK or of the service in the words of the command line: `top_p: Too big: …`
 * becomes `--top-p: found "3", expected 2 or less`. A field that no flag sets keeps its name.
 */
export function nameFlags(message: string, typed: Typed): string {
  const places = mapPlaces(typed)
  const worded = message.replaceAll(
    /(^|[.;] )([\w.]+): ((?:"[^"]*"|[^;])*)/g,
    (whole, before: string, path: string, text: string) => {
      const place = places.get(path) ?? places.get(path.split('.')[0] ?? '')
      return place === undefined
        ? whole
        : `${before}${place.spelling}: ${expectation(text, place.found)}`
    },
  )
  const named = worded.replaceAll(
    /\b[a-z]+(?:_[a-z]+|[A-Z][a-z]*)+\b/g,
    (name) => places.get(name)?.spelling ?? name,
  )
  return (
    named
      .replaceAll(
        /GET \/models\/(\S+) lists its voices/g,
        'farebox voices --model $1 lists its voices',
      )
      .replaceAll(
        /GET \/models(?:\?type=(\w+))?/g,
        (_, type?: string) => `farebox models${type === undefined ? '' : ` --type ${type}`}`,
      )
      // --timeout takes seconds
      .replaceAll(/\bwithin (\d+) ms\b/g, (_, ms: string) => `within ${Number(ms) / 1000} s`)
  )
}

/** The operand or flag of each field. A name of several words has two forms in the SDK. */
function mapPlaces({ command, arguments: given }: Typed): ReadonlyMap<string, Place> {
  const operands = (command.fields ?? []).map(
    (field, at) =>
      [
        field,
        { spelling: command.operands[at]?.name ?? field, found: given.operands[at] },
      ] as const,
  )
  const flags = command.flags.flatMap((flag) => {
    const place = {
      spelling: `--${flag.name}`,
      found: flag.kind === 'text' ? given.text(flag.name) : undefined,
    }
    return listFields(flag).map((field) => [field, place] as const)
  })
  return new Map([...flags, ...operands])
}

function listFields({ name, field }: Flag): readonly string[] {
  if (field !== undefined) return [field].flat()
  return [
    name.replaceAll('-', '_'),
    name.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase()),
  ]
}

/** What the validators say, in the form of the other errors of the command. */
const forms: readonly (readonly [RegExp, (...parts: readonly string[]) => string])[] = [
  [
    /^Invalid option: expected one of (.*)$/,
    (options = '') => `one of ${options.replaceAll('"', '').replaceAll('|', ', ')}`,
  ],
  [/^Too small: expected \w+ to be >=?(\S+)$/, (least) => `${least} or more`],
  [/^Too big: expected \w+ to be <=?(\S+)$/, (most) => `${most} or less`],
  [/^Too small: expected \w+ to have >=?(\d+) (\w+)$/, (least, unit) => `${least} ${unit} or more`],
  [/^Too big: expected \w+ to have <=?(\d+) (\w+)$/, (most, unit) => `${most} ${unit} or fewer`],
  [/^Invalid ISO datetime.*$/, () => 'a time such as 2027-01-01T00:00:00Z'],
  [/^Invalid string: must match pattern (.*)$/, (pattern) => `a text of the form ${pattern}`],
]

function expectation(text: string, found: string | undefined): string {
  for (const [form, word] of forms) {
    const parts = form.exec(text)?.slice(1)
    // a long text is not repeated: the user typed it
    if (parts !== undefined)
      return `${found === undefined || found.length > 60 ? '' : `found ${JSON.stringify(found)}, `}expected ${word(...parts)}`
  }
  return text
}
