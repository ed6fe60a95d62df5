import type { Labels } from './samples.js'

/** Whether labels meet one condition of a selector. */
export function conditionOf(
  label: string,
  operator: string,
  text: string,
): (labels: Labels) => boolean {
  const pattern = new RegExp(`^(?:${text})$`)
  const tests: Readonly<Record<string, (value: string) => boolean>> = {
    '=': (value) => value === text,
    '!=': (value) => value !== text,
    '=~': (value) => pattern.test(value),
    '!~': (value) => !pattern.test(value),
  }
  const holds = tests[operator]
  if (!holds) throw new Error(`PromQL: ${operator} is no condition for the label ${label}`)
  return (labels) => holds(labels[label] ?? '')
}

/** The words and signs of an expression. */
export function tokensOf(expression: string): readonly string[] {
  const pattern =
    /\s+|([a-zA-Z_]\w*|\d+(?:\.\d+)?|"(?:[^"\\]|\\.)*"|\[\d+[smh]\]|==|!=|>=|<=|=~|!~|[-+*/><=(){},])/y
  const tokens: string[] = []
  while (pattern.lastIndex < expression.length) {
    const { lastIndex } = pattern
    const found = pattern.exec(expression)
    if (!found)
      throw new Error(`PromQL: ${expression.slice(lastIndex, lastIndex + 20)} cannot be read`)
    if (found[1] !== undefined) tokens.push(found[1])
  }
  return tokens
}
