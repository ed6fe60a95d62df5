/**
 * The URL of a compiled worker file beside the module at `moduleUrl`. A thread cannot run
 * TypeScript, so a module that runs from `src` gets the file that the build wrote into `dist`.
 */
export function builtWorker(moduleUrl: string, name: string): URL {
  return new URL(
    `./${name}.js`,
    moduleUrl.endsWith('.ts') ? moduleUrl.replace('/service/src/', '/service/dist/') : moduleUrl,
  )
}
