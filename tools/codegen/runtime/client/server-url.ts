import { InvalidInputError } from './invalid-input-error.js'
import type { Context } from './perform.js'

/** A server of the document, with the defaults of its variables. */
export type ServerFacts = {
  readonly url: string
  readonly name?: string
  readonly variables?: Readonly<Record<string, string>>
}

/** A server by its name or its URL. Default: the first. */
export type ServerChoice = {
  readonly name?: string
  readonly url?: string
  readonly variables?: Readonly<Record<string, string | undefined>>
}

/**
 * The URL of a server. A value may have characters that end a part of a URL only where the default
 * has them: another would change the host that credentials go to.
 */
export function resolveServerUrl(
  servers: readonly ServerFacts[],
  { name, url, variables = {} }: ServerChoice = {},
): string {
  const server = servers.find((one) =>
    name === undefined ? url === undefined || url === one.url : one.name === name,
  )
  if (server === undefined)
    throw new InvalidInputError(`The document has no server ${JSON.stringify(name ?? url)}.`)
  return Object.entries(server.variables ?? {}).reduce((text, [variable, standard]) => {
    const value = (Object.hasOwn(variables, variable) ? variables[variable] : undefined) ?? standard
    if (/[/\\?#@\s]/.test(value) && !/[/\\?#@\s]/.test(standard))
      throw new InvalidInputError(
        `The server variable ${JSON.stringify(variable)} has a character that would change the URL.`,
      )
    return text.replaceAll(`{${variable}}`, () => value)
  }, server.url)
}

/** The context of calls. Some go to servers of their own. */
export type ServedContext = Context & {
  /** Operations with servers of their own go there instead of to `baseUrl`. Default: false. */
  readonly ownServers?: boolean
}

/** The same context for an operation with a server of its own. */
export function withServer(context: ServedContext, server: string): Context {
  return context.ownServers === true ? { ...context, baseUrl: server } : context
}
