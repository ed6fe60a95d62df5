import type { DocumentEmitter, Plugin } from '../emit/emitter.js'
import type { Code, SourceFile } from '../emit/code.js'
import type { Api } from '../ir/api.js'

/** A plugin threw or returned invalid output. Nothing was written for the document. */
export class PluginError extends Error {
  override readonly name = 'PluginError'
  readonly plugin: string
  /** The entry of the document. */
  readonly document: string
  /** The last operation that the plugin read. */
  readonly operation: string | undefined

  constructor(plugin: string, document: string, operation: string | undefined, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
    this.plugin = plugin
    this.document = document
    this.operation = operation
  }
}

/** A plugin as an emitter, which throws `PluginError`. */
export function createPluginEmitter({ name, emit }: Plugin): DocumentEmitter {
  return {
    name,
    into: `packages/${name}/src/generated`,
    emit: (api) => {
      const { observed, last } = observe(api)
      try {
        const files: unknown = emit(observed)
        if (!Array.isArray(files)) throw new TypeError('emit did not return an array of files.')
        return files.map(checkFile)
      } catch (error) {
        throw new PluginError(name, api.source, last(), error)
      }
    },
    rethrow: (error, api) =>
      error instanceof PluginError ? error : new PluginError(name, api.source, undefined, error),
  }
}

/** Wraps a model to record the operation that was read last: usually the cause of an error. */
function observe(api: Api): { readonly observed: Api; readonly last: () => string | undefined } {
  let last: string | undefined
  const operations = new Proxy(api.operations, {
    get: (target, key, receiver) => {
      if (typeof key === 'string' && /^\d+$/.test(key)) last = target[Number(key)]?.id
      return Reflect.get(target, key, receiver) as unknown
    },
  })
  return { observed: { ...api, operations }, last: () => last }
}

/** Throws unless the file is in the folder of its output. */
function checkFile(file: unknown): SourceFile {
  const { path, body } = file as { readonly path?: unknown; readonly body?: unknown }
  if (typeof path !== 'string' || !isIterable(body))
    throw new TypeError('emit returned a file without path or body.')
  if (!/^(?:[\w$-][\w.$-]*\/)*[\w$-][\w.$-]*\.ts$/.test(path))
    throw new TypeError(
      `emit returned the file ${JSON.stringify(path)}; expected a path below its folder that ends in .ts.`,
    )
  // made here, so that what it throws is an error of the plugin
  return { path, body: [...body] as Code[] }
}

function isIterable(value: unknown): value is Iterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.iterator in value
}
