import type { Server } from './api.js'

/** The URL of a server with the defaults of its variables. */
export function defaultUrl({ url, variables }: Pick<Server, 'url' | 'variables'>): string {
  return url.replaceAll(/\{([^{}]+)\}/g, (whole, name: string) =>
    Object.hasOwn(variables, name) ? (variables[name]?.default ?? whole) : whole,
  )
}

/** Whether a server is known without the place of the document. */
export function isAbsolute(server: Pick<Server, 'url' | 'variables'>): boolean {
  return /^https?:\/\/[^/]/i.test(defaultUrl(server))
}
