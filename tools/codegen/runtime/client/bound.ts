import type { CallOptions } from './call.js'
import type { Context } from './perform.js'

type Bindable = (context: Context, input: unknown, options?: CallOptions) => unknown

/**
 * Turns functions that take a context into methods that hold it. The caller states the type: the
 * compiler would compare each function with a method declared from the same operation.
 */
export function bindContext(functions: object, context: Context): never {
  const methods = Object.entries(functions as Readonly<Record<string, Bindable>>).map(
    ([name, call]) =>
      [name, (input: unknown, options?: CallOptions) => call(context, input, options)] as const,
  )
  return Object.fromEntries(methods) as never
}
