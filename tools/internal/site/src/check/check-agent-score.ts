import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { docs } from '../folders.js'

/** What `afdocs` prints, the reference implementation of the Agent-Friendly Documentation Spec. */
type Report = {
  readonly results: readonly { readonly id: string; readonly status: string }[]
  readonly scoring: { readonly overall: number; readonly grade: string }
}

/** No server of files reaches 100: one check wants an answer that depends on the header `Accept`. */
const least = 90

/** Scores the site for programs that read it, by the rubric of https://agentdocsspec.com. */
export async function checkAgentScore(origin: string, base: string): Promise<readonly string[]> {
  const script = join(docs, 'node_modules/afdocs/bin/afdocs.mjs')
  const args = ['check', origin + base, '--format', 'json', '--score', '--quiet']
  const steady = ['--sampling', 'deterministic', '--request-delay', '0']
  // a check that fails also ends it with 1
  const { stdout } = await promisify(execFile)(process.execPath, [script, ...args, ...steady], {
    maxBuffer: 64 * 1024 * 1024,
  }).catch((error: { readonly stdout?: string; readonly message: string }) => {
    if (error.stdout?.startsWith('{') !== true) throw new Error(`afdocs failed: ${error.message}`)
    return { stdout: error.stdout }
  })
  const { results, scoring } = JSON.parse(stdout) as Report
  const { overall, grade } = scoring
  const failed = results.filter(({ status }) => status === 'fail').map(({ id }) => id)
  const without = failed.length === 0 ? '' : `; without ${failed.join(', ')}`
  console.log(`agentdocsspec.com: ${overall} of 100 (${grade})${without}`)
  return overall < least ? [`agentdocsspec.com gives ${overall}, expected ${least}${without}`] : []
}
