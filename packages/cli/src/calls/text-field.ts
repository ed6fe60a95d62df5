/**
 * A string field of a tool's input, else undefined. The contract refuses other values before
 * anything is sent.
 */
export function textField(
  input: Readonly<Record<string, unknown>>,
  name: string,
): string | undefined {
  const value = input[name]
  return typeof value === 'string' ? value : undefined
}
