/** Where benchmarks keep what they fetch and make. */
export const cache: string
/** The folder of a package that is too heavy for the lock file: installed once, at this very version, without its scripts. */
export function installed(name: string, version: string): string
