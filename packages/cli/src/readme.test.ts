import { readFileSync } from 'node:fs'
import { readArguments } from '@farebox/command-line'
import { checks } from '@farebox/conformance'
import { expect, it } from 'vitest'
import { createProgram } from './program.js'

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')

it('the README counts the checks of verify, and shows an MCP server that can be started', () => {
  expect(readme).toContain(`${checks.length} checks`)
  const [, config = ''] = /```json\n(.*?)```/s.exec(readme) ?? []
  const { mcpServers } = JSON.parse(config) as {
    readonly mcpServers: {
      readonly farebox: { readonly command: string; readonly args: readonly string[] }
    }
  }
  const [yes, name, ...args] = mcpServers.farebox.args
  expect([mcpServers.farebox.command, yes, name]).toEqual(['npx', '-y', '@farebox/cli'])
  expect(readArguments(createProgram({}), args)).toMatchObject({ member: { name: 'mcp' } })
})
