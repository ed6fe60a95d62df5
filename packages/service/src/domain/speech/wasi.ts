/**
 * As much of WASI (snapshot preview 1) as a command needs that is given arguments and writes files: everything in memory, no access to disk,
 * environment or network. Files are opened below `/o`.
 */
export type CommandResult = {
  readonly exitCode: number
  /** What was written, by path below /o. */
  readonly files: ReadonlyMap<string, Uint8Array>
  readonly stderr: string
}

const success = 0
const badFile = 8
const noEntry = 44
const folder = 3
const folderName = new TextEncoder().encode('/o')
const nanosecondsOf = (ms: number) => BigInt(Math.trunc(ms * 1e6))

class Exit extends Error {
  readonly exitCode: number

  constructor(exitCode: number) {
    super(`exit ${exitCode}`)
    this.exitCode = exitCode
  }
}

/** Runs a command to its end. What it throws besides is a trap: the module is at fault. */
export async function runCommand(module: WebAssembly.Module, args: readonly string[]): Promise<CommandResult> {
  const files = new Map<string, GrowingFile>()
  const open = new Map<number, { readonly file: GrowingFile; position: number }>([
    [1, { file: new GrowingFile(), position: 0 }],
    [2, { file: new GrowingFile(), position: 0 }],
  ])
  const argv = args.map((arg) => new TextEncoder().encode(`${arg}\0`))
  let memory = new WebAssembly.Memory({ initial: 0 })
  const view = () => new DataView(memory.buffer)
  const bytes = (at: number, length: number) => new Uint8Array(memory.buffer, at, length)

  const imports = {
    args_sizes_get: (count: number, size: number) => {
      view().setUint32(count, argv.length, true)
      view().setUint32(
        size,
        argv.reduce((sum, { length }) => sum + length, 0),
        true,
      )
      return success
    },
    args_get: (pointers: number, text: number) => {
      let at = text
      for (const [index, arg] of argv.entries()) {
        view().setUint32(pointers + 4 * index, at, true)
        bytes(at, arg.length).set(arg)
        at += arg.length
      }
      return success
    },
    clock_time_get: (_id: number, _precision: bigint, at: number) => {
      view().setBigUint64(at, nanosecondsOf(performance.now()), true)
      return success
    },
    fd_close: (fd: number) => (open.delete(fd) ? success : badFile),
    fd_fdstat_get: (fd: number, at: number) => {
      if (fd !== folder && fd > 2 && !open.has(fd)) return badFile
      bytes(at, 24).fill(0)
      // a folder, a regular file, or a terminal; with every right
      view().setUint8(at, fd === folder ? 3 : fd > 2 ? 4 : 2)
      view().setBigUint64(at + 8, 0xff_ff_ff_ff_ff_ff_ff_ffn, true)
      view().setBigUint64(at + 16, 0xff_ff_ff_ff_ff_ff_ff_ffn, true)
      return success
    },
    fd_fdstat_set_flags: () => success,
    fd_prestat_get: (fd: number, at: number) => {
      if (fd !== folder) return badFile
      view().setUint32(at, 0, true)
      view().setUint32(at + 4, folderName.length, true)
      return success
    },
    fd_prestat_dir_name: (fd: number, at: number, length: number) => {
      if (fd !== folder) return badFile
      bytes(at, length).set(folderName.subarray(0, length))
      return success
    },
    fd_read: (fd: number, vectors: number, count: number, read: number) => {
      const handle = open.get(fd)
      if (!handle) return badFile
      let total = 0
      for (let index = 0; index < count; index++) {
        const at = view().getUint32(vectors + 8 * index, true)
        const part = handle.file.read(handle.position, view().getUint32(vectors + 8 * index + 4, true))
        bytes(at, part.length).set(part)
        handle.position += part.length
        total += part.length
      }
      view().setUint32(read, total, true)
      return success
    },
    fd_write: (fd: number, vectors: number, count: number, written: number) => {
      const handle = open.get(fd)
      if (!handle) return badFile
      let total = 0
      for (let index = 0; index < count; index++) {
        const at = view().getUint32(vectors + 8 * index, true)
        const length = view().getUint32(vectors + 8 * index + 4, true)
        handle.file.write(handle.position, bytes(at, length))
        handle.position += length
        total += length
      }
      view().setUint32(written, total, true)
      return success
    },
    fd_seek: (fd: number, offset: bigint, whence: number, at: number) => {
      const handle = open.get(fd)
      if (!handle || fd <= 2) return badFile
      handle.position = Number(offset) + (whence === 0 ? 0 : whence === 1 ? handle.position : handle.file.size)
      view().setBigUint64(at, BigInt(handle.position), true)
      return success
    },
    path_open: (...given: readonly (number | bigint)[]) => {
      const [, , path, length, flags, , , , at] = given.map(Number) as [
        number,
        number,
        number,
        number,
        number,
        number,
        number,
        number,
        number,
      ]
      const name = new TextDecoder().decode(bytes(path, length))
      const creates = (flags & 1) !== 0
      const file = creates ? new GrowingFile() : files.get(name)
      if (!file) return noEntry
      files.set(name, file)
      const fd = Math.max(folder, ...open.keys()) + 1
      open.set(fd, { file, position: 0 })
      view().setUint32(at, fd, true)
      return success
    },
    proc_exit: (exitCode: number) => {
      throw new Exit(exitCode)
    },
  }

  const { exports } = await WebAssembly.instantiate(module, { wasi_snapshot_preview1: imports })
  const { memory: own, _start: start } = exports
  if (!(own instanceof WebAssembly.Memory) || typeof start !== 'function') throw new Error('WASI: the module is no command')
  memory = own
  let exitCode = 0
  try {
    start()
  } catch (error) {
    if (!(error instanceof Exit)) throw error
    exitCode = error.exitCode
  }
  const stderr = new TextDecoder().decode(open.get(2)?.file.content())
  return { exitCode, stderr, files: new Map([...files].map(([name, file]) => [name, file.content()])) }
}

class GrowingFile {
  #bytes = new Uint8Array(65_536)
  size = 0

  read(position: number, length: number): Uint8Array {
    return this.#bytes.subarray(position, Math.min(this.size, position + length))
  }

  write(position: number, part: Uint8Array): void {
    const end = position + part.length
    if (end > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(end, 2 * this.#bytes.length))
      larger.set(this.#bytes)
      this.#bytes = larger
    }
    this.#bytes.set(part, position)
    this.size = Math.max(this.size, end)
  }

  content(): Uint8Array {
    return this.#bytes.slice(0, this.size)
  }
}
