/** A field of a tool's input where it is a text. What is none the contract refuses before anything is sent. */
export function textField(input: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = input[name]
  return typeof value === 'string' ? value : undefined
}
