import { execFileSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { loadPyodide } from 'pyodide'

/** Runs Python text in a folder with an environment, and gives what it prints. */
export type Python = (text: string, folder: string, environment: Readonly<Record<string, string>>) => string

/**
 * CPython as WebAssembly, from npm: the samples run where no Python is installed. WebAssembly has
 * no sockets, so `urllib` sends through a process of Node, and all else is Python's own.
 */
export async function startPython(): Promise<Python> {
  const pyodide = await loadPyodide()
  pyodide.registerJsModule('node_http', { send: sendWithNode })
  await pyodide.runPythonAsync(await readFile(new URL('python-opener.py', import.meta.url), 'utf8'))
  return (text, folder, environment) => {
    const lines: string[] = []
    pyodide.setStdout({ batched: (line) => void lines.push(line) })
    pyodide.FS.mkdirTree('/sample')
    pyodide.mountNodeFS('/sample', folder)
    try {
      const locals = pyodide.toPy({ environment })
      pyodide.runPython('import os; os.chdir("/sample"); os.environ.update(environment)', { locals })
      pyodide.runPython(text, { globals: pyodide.toPy({}) })
    } finally {
      pyodide.runPython('import os; os.chdir("/")')
      pyodide.FS.unmount('/sample')
    }
    return lines.join('\n')
  }
}

const sender = fileURLToPath(new URL('python-send.mjs', import.meta.url))

/** Sends one request and waits for its answer; both are JSON with the body in base64. */
function sendWithNode(request: string): string {
  return execFileSync(process.execPath, [sender], { input: request, encoding: 'utf8', maxBuffer: 2 ** 26 })
}
