export type Budget = { readonly what: string; readonly source: string; readonly most: number }

/** What is written, and how many bytes it may have at most, minified and compressed. */
export const budgets: readonly Budget[]

/** A send through middleware, by itself. */
export function sends(...middleware: readonly string[]): string

/** One operation with bearer, retry and pace. */
export function one(operation: string, input: string): string

/** The input of a quote. */
export const quote: string

/** One file for browsers out of a few lines that import what is installed in a folder. */
export function bundled(folder: string, contents: string, options?: { readonly minify?: boolean }): Promise<string>

/** Bytes of a bundle, minified and compressed as a server would send it. */
export function bytesOf(folder: string, source: string): Promise<number>
