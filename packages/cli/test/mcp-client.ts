import { Client } from '@modelcontextprotocol/client'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import type { Running } from './start-command.js'

/** The official client of `farebox mcp` in this process. `end` closes both. */
export async function connectClient({
  stdin,
  stdout,
  stderr,
  code,
}: Running): Promise<{ readonly client: Client; readonly end: () => Promise<void> }> {
  stderr.resume()
  const client = new Client({ name: 'test', version: '1.0.0' })
  // messages go both ways in the same form
  await client.connect(new StdioServerTransport(stdout, stdin))
  const end = async () => {
    await client.close()
    stdin.destroy()
    await code
  }
  return { client, end }
}
