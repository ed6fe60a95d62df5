import type { Api, Operation, Server } from './api.js'

/** The URL of a server with the defaults of its variables. */
export function fillVariables({ url, variables }: Pick<Server, 'url' | 'variables'>): string {
  return url.replaceAll(/\{([^{}]+)\}/g, (whole, name: string) =>
    Object.hasOwn(variables, name) ? (variables[name]?.default ?? whole) : whole,
  )
}

/** Whether a server is known without the place of the document. */
export function isAbsolute(server: Pick<Server, 'url' | 'variables'>): boolean {
  return /^https?:\/\/[^/]/i.test(fillVariables(server))
}

/** The servers of the document that a client can call without more knowledge. */
export function listUsableServers({ servers }: Api): readonly Server[] {
  return servers.filter(isAbsolute)
}

/** The URL of the own server of an operation. */
export function findOwnServer({ servers }: Operation): string | undefined {
  const server = servers.find(isAbsolute)
  return server && fillVariables(server)
}

/** Whether every operation has a server, so that a client needs no `baseUrl`. */
export function hasServers(api: Api): boolean {
  const known = listUsableServers(api).length > 0
  return (
    api.operations.length > 0 &&
    api.operations.every(({ servers }) => (servers.length > 0 ? servers.some(isAbsolute) : known))
  )
}
