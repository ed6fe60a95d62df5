import { spawn } from 'node:child_process'

/**
 * Runs a command to its end and gives what it printed. A failure is an error that holds the command and all of its output.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ readonly cwd?: string, readonly env?: NodeJS.ProcessEnv, readonly timeoutMs?: number }} options
 * @returns {Promise<string>}
 */
export async function run(command, args, { cwd, env, timeoutMs = 300_000 } = {}) {
  const child = spawn(command, args, { cwd, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'], timeout: timeoutMs })
  let output = ''
  child.stdout.on('data', (chunk) => (output += chunk))
  child.stderr.on('data', (chunk) => (output += chunk))
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (status, signal) => resolve(status ?? signal))
  })
  if (code !== 0) throw new Error(`${[command, ...args].join(' ')} ended with ${code}:\n${output}`)
  return output
}

/**
 * Starts a server and waits until it says where it listens; `ready` finds the address in its output.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {RegExp} ready whose first group is the address
 * @param {{ readonly cwd?: string, readonly env?: NodeJS.ProcessEnv }} options
 */
export async function serve(command, args, ready, { cwd, env } = {}) {
  const child = spawn(command, args, { cwd, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = new Promise((resolve) => child.once('close', resolve))
  const address = await new Promise((resolve, reject) => {
    let output = ''
    const hear = (/** @type {Buffer} */ chunk) => {
      output += chunk
      const [, found] = ready.exec(output) ?? []
      if (found !== undefined) resolve(found)
    }
    child.stdout.on('data', hear)
    child.stderr.on('data', hear)
    child.once('error', reject)
    child.once('close', (code) => reject(new Error(`${[command, ...args].join(' ')} ended with ${code} before it was ready:\n${output}`)))
  })
  const stop = async () => {
    child.kill('SIGTERM')
    await ended
  }
  return { address, stop }
}
