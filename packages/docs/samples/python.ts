import { readFile } from 'node:fs/promises'
import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads'
import { loadPyodide } from 'pyodide'

/** Runs Python text in a folder with an environment, and gives what it prints. */
export type Python = (
  text: string,
  folder: string,
  environment: Readonly<Record<string, string>>,
) => string

/**
 * CPython as WebAssembly, from npm: the samples run where no Python is installed. WebAssembly has
 * no sockets, so `urllib` sends through a worker of Node, and all else is Python's own.
 */
export async function startPython(): Promise<Python> {
  const pyodide = await loadPyodide()
  pyodide.registerJsModule('node_http', { send: createWorkerSender() })
  await pyodide.runPythonAsync(await readFile(new URL('python-opener.py', import.meta.url), 'utf8'))
  return (text, folder, environment) => {
    const lines: string[] = []
    pyodide.setStdout({ batched: (line) => void lines.push(line) })
    pyodide.FS.mkdirTree('/sample')
    pyodide.mountNodeFS('/sample', folder)
    try {
      const locals = pyodide.toPy({ environment })
      pyodide.runPython('import os; os.chdir("/sample"); os.environ.update(environment)', {
        locals,
      })
      pyodide.runPython(text, { globals: pyodide.toPy({}) })
    } finally {
      pyodide.runPython('import os; os.chdir("/")')
      pyodide.FS.unmount('/sample')
    }
    return lines.join('\n')
  }
}

type ReceivedMessage = { readonly message: { readonly answer?: string; readonly failure?: string } }

/**
 * Sends a request and waits for its response; both are JSON with the body in base64. Python waits,
 * and with it this thread, so another one sends.
 */
function createWorkerSender(): (request: string) => string {
  const worker = new Worker(new URL('python-send.mjs', import.meta.url))
  worker.unref()
  return (request) => {
    const { port1, port2 } = new MessageChannel()
    const answerFlag = new Int32Array(new SharedArrayBuffer(4))
    worker.postMessage({ request, answered: answerFlag, port: port2 }, [port2])
    Atomics.wait(answerFlag, 0, 0)
    const reply: ReceivedMessage | undefined = receiveMessageOnPort(port1)
    port1.close()
    if (reply?.message.answer === undefined) throw new Error(reply?.message.failure)
    return reply.message.answer
  }
}
