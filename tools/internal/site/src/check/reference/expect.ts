/** Collects a fault for each value that differs from the expected one. */
export type Expect = (what: string, found: unknown, expected: RegExp | string) => void

export function expecting(faults: string[], where: string): Expect {
  return (what, found, expected) => {
    const text = typeof found === 'string' ? found : JSON.stringify(found)
    const isSo = typeof expected === 'string' ? text === expected : expected.test(text)
    if (!isSo) faults.push(`${where}: ${what} is ${text}, expected ${String(expected)}`)
  }
}
