export type Sample = { readonly name: string; readonly labels: Record<string, string>; readonly value: number }

/** The samples whose names match, in a text of our own metrics (Prometheus, version 0.0.4). */
export function parseSamples(printed: string, names: RegExp): Sample[] {
  return printed.split('\n').flatMap((line) => {
    const [, name = '', labels = '', value = ''] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? []
    return names.test(name) ? [{ name, labels: parseLabels(labels), value: Number(value) }] : []
  })
}

function parseLabels(text: string): Record<string, string> {
  const pairs = text.matchAll(/(?:^|,)(\w+)="((?:[^"\\]|\\.)*)"/g)
  return Object.fromEntries(Array.from(pairs, ([, name = '', value = '']) => [name, value.replaceAll(/\\(.)/g, unescaped)]))
}

function unescaped(_match: string, character: string): string {
  return character === 'n' ? '\n' : character
}
