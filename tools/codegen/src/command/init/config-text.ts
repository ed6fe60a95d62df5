import { code } from '../../emit/code.js'
import { literal } from '../../emit/literal.js'

export type Chosen = {
  readonly spec: string
  readonly out: string
  readonly outputs: readonly string[]
}

/** The text of a configuration, in TypeScript or in JavaScript whose types an editor knows. */
export function configText({ spec, out, outputs }: Chosen, isTypeScript: boolean): string {
  const fields = code`{
  documents: [${literal({ spec, out })}],
  outputs: ${literal(Object.fromEntries(outputs.map((name) => [name, true])))},
}`
  return isTypeScript
    ? `import { defineConfig } from '@farebox/codegen'\n\nexport default defineConfig(${fields.text})\n`
    : `/** @type {import('@farebox/codegen').Config} */\nexport default ${fields.text}\n`
}
