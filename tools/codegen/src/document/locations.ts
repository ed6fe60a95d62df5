import { dirname, isAbsolute, relative, resolve, sep } from 'node:path'
import { isUrl } from './read-input.js'

/** The target of a reference: an absolute path, or a URL. */
export function locate(from: string, file: string): string {
  if (!isUrl(file) && !isUrl(from)) return resolve(dirname(from), file)
  return URL.canParse(file, isUrl(from) ? from : undefined)
    ? new URL(file, isUrl(from) ? from : undefined).href
    : file
}

/** A URL without its query, which may contain a secret. */
export function displayUrl(url: string): string {
  const { origin, pathname } = new URL(url)
  return `${origin}${pathname}`
}

/** Whether a path is in a folder or below it. */
export function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path)
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

/** A path relative to the working or entry folder, so that it is equal on every machine. */
export function displayPath(path: string, cwd: string, folder: string): string {
  return relative(isInside(path, cwd) ? cwd : folder, path).replaceAll('\\', '/')
}
