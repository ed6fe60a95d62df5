import { ConsoleStdout, Fd, Inode, PreopenDirectory, WASI, wasi } from '@bjorn3/browser_wasi_shim'

export type CommandResult = {
  readonly exitCode: number
  readonly output: Uint8Array<ArrayBuffer>
  readonly stderr: string
}

/**
 * Runs a WASI command that writes one file, `/o/output`. Everything is in memory, without access to
 * disk, environment or network. Rejects when the module traps.
 */
export async function runCommand(
  module: WebAssembly.Module,
  args: readonly string[],
): Promise<CommandResult> {
  const file = new OutputFile()
  let stderr = ''
  const ignore = new ConsoleStdout(() => undefined)
  const errors = new ConsoleStdout((bytes) => void (stderr += new TextDecoder().decode(bytes)))
  const folder = new PreopenDirectory('/o', new Map([['output', file]]))
  const command = new WASI([...args], [], [ignore, ignore, errors, folder], { debug: false })
  const { exports } = await WebAssembly.instantiate(module, {
    wasi_snapshot_preview1: command.wasiImport,
  })
  const { memory, _start } = exports
  if (!(memory instanceof WebAssembly.Memory) || typeof _start !== 'function')
    throw new Error('WASI: the module is no command')
  const exitCode = command.start({ exports: { memory, _start: () => void _start() } })
  return { exitCode, output: file.content(), stderr }
}

/**
 * A file that is written once. Its buffer doubles, as the file of the library copies all bytes at
 * each write.
 */
class OutputFile extends Inode {
  #bytes = new Uint8Array(262_144)
  #size = 0

  override stat() {
    return new wasi.Filestat(this.ino, wasi.FILETYPE_REGULAR_FILE, BigInt(this.#size))
  }

  override path_open() {
    return { ret: wasi.ERRNO_SUCCESS, fd_obj: new OpenOutput((at, part) => this.#write(at, part)) }
  }

  #write(at: number, part: Uint8Array): void {
    const end = at + part.length
    if (end > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(end, 2 * this.#bytes.length))
      larger.set(this.#bytes)
      this.#bytes = larger
    }
    this.#bytes.set(part, at)
    this.#size = Math.max(this.#size, end)
  }

  content(): Uint8Array<ArrayBuffer> {
    return this.#bytes.slice(0, this.#size)
  }
}

class OpenOutput extends Fd {
  readonly #write: (at: number, part: Uint8Array) => void
  #position = 0

  constructor(write: (at: number, part: Uint8Array) => void) {
    super()
    this.#write = write
  }

  override fd_fdstat_get() {
    return { ret: wasi.ERRNO_SUCCESS, fdstat: new wasi.Fdstat(wasi.FILETYPE_REGULAR_FILE, 0) }
  }

  override fd_write(part: Uint8Array) {
    this.#write(this.#position, part)
    this.#position += part.length
    return { ret: wasi.ERRNO_SUCCESS, nwritten: part.length }
  }

  override fd_seek(offset: bigint, whence: number) {
    if (whence === wasi.WHENCE_END) return { ret: wasi.ERRNO_INVAL, offset: 0n }
    this.#position = Number(offset) + (whence === wasi.WHENCE_CUR ? this.#position : 0)
    return { ret: wasi.ERRNO_SUCCESS, offset: BigInt(this.#position) }
  }
}
