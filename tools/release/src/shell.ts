import { spawn } from 'node:child_process'

/** Runs a block of a page with bash and returns all that it printed. Throws when it fails. */
export async function shell(text: string, cwd: string, env: NodeJS.ProcessEnv): Promise<string> {
  const child = spawn('bash', ['-e', '-o', 'pipefail', '-c', text], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const code = await new Promise((resolve) => child.once('close', (status, signal) => resolve(status ?? signal)))
  if (code !== 0) throw new Error(`ended with ${String(code)}:\n${text}\n${output}`)
  return output
}

/**
 * Starts a block and resolves once its output says that it listens. The function that it resolves
 * to ends the whole group of processes and waits until all of them are gone.
 */
export function background(text: string, cwd: string, env: NodeJS.ProcessEnv): Promise<() => Promise<void>> {
  const child = spawn('bash', ['-e', '-c', text], { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  // the output closes when no process of the group holds it any more
  const closed = new Promise((resolve) => child.once('close', resolve))
  const end = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-(child.pid ?? 0), 'SIGTERM')
    await closed
  }
  return new Promise((resolve, reject) => {
    let output = ''
    const read = (chunk: Buffer): void => {
      output += chunk.toString()
      if (/listening on http/.test(output)) resolve(end)
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    void closed.then((code) => reject(new Error(`ended with ${String(code)} instead of going on:\n${text}\n${output}`)))
  })
}

/** Makes a script restore and store its exported variables in the file `memory`. */
export function remembering(script: string, memory: string): string {
  return `[ ! -f '${memory}' ] || . '${memory}'\n${script}\nexport -p > '${memory}'`
}
