import { code, namespace, symbol, type Code } from '../../emit/code.js'
import { docComment } from '../../emit/literal.js'
import { originLine } from '../../emit/origin-line.js'
import type { Api, Operation } from '../../ir/api.js'
import { pascalCase } from '../../ir/names.js'
import { hasInput } from './input-type.js'

/**
 * Each operation as a function of its own that takes the context. A bundler keeps those that are
 * used.
 */
export function functions(api: Api, local: (name: string) => string): readonly Code[] {
  const facts = namespace(local('facts'), './facts.js')
  const perform = symbol('perform', './perform.js', { as: local('perform') })
  const context = symbol('Context', './perform.js', { typeOnly: true })
  const options = symbol('CallOptions', './call.js', { typeOnly: true })
  return api.operations.map((operation) => {
    const { id, method, path, description, deprecated, origin } = operation
    const { summary = description ?? `Sends \`${method.toUpperCase()} ${path}\`.` } = operation
    const [input, result] = ['Input', 'Result'].map((kind) => symbol(pascalCase(id) + kind, './operations.js', { typeOnly: true }))
    const comment = docComment([summary, deprecated ? '@deprecated' : undefined, originLine(api, origin)])
    return code`${comment}export function ${id}(context: ${context}, input${mark(api, operation)}: ${input}, options?: ${options}): Promise<${result}> {
  return ${perform}(context, ${facts}.${id}, input, options) as Promise<${result}>
}`
  })
}

function mark(api: Api, operation: Operation): string {
  return hasInput(api, operation) === 'required' ? '' : '?'
}
