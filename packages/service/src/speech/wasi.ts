import { File, OpenFile, PreopenDirectory, WASI } from '@bjorn3/browser_wasi_shim'

export type CommandResult = {
  readonly exitCode: number
  /** What was written, by path below /o. */
  readonly files: ReadonlyMap<string, Uint8Array>
  readonly stderr: string
}

/**
 * Runs a WASI command (snapshot preview 1) to its end. Its files are in memory below `/o`; it has no
 * access to the disk, the environment or the network. What it throws is a trap of the module.
 */
export async function runCommand(module: WebAssembly.Module, args: readonly string[]): Promise<CommandResult> {
  const stderr = new File([])
  const folder = new PreopenDirectory('/o', new Map())
  const streams = [new File([]), new File([]), stderr].map((file) => new OpenFile(file))
  const wasi = new WASI([...args], [], [...streams, folder], { debug: false })
  const instance = await WebAssembly.instantiate(module, { wasi_snapshot_preview1: wasi.wasiImport })
  if (!isCommand(instance)) throw new Error('WASI: the module is no command')
  const exitCode = wasi.start(instance)
  const files = [...folder.dir.contents].flatMap(([name, inode]) => (inode instanceof File ? [[name, inode.data] as const] : []))
  return { exitCode, stderr: new TextDecoder().decode(stderr.data), files: new Map(files) }
}

type CommandInstance = WebAssembly.Instance & { readonly exports: { readonly memory: WebAssembly.Memory; readonly _start: () => unknown } }

function isCommand(instance: WebAssembly.Instance): instance is CommandInstance {
  return instance.exports['memory'] instanceof WebAssembly.Memory && typeof instance.exports['_start'] === 'function'
}
