import { expect, it } from 'vitest'
import { run, serve } from './commands.js'

const createNodeCommand = (source: string) => [process.execPath, ['--eval', source]] as const

it('returns what a command prints', async () => {
  expect(
    await run(...createNodeCommand('console.log(process.env.TRAM); console.error(2)'), {
      env: { TRAM: 'late' },
    }),
  ).toBe('late\n2\n')
})

it('isolates a bare command from the environment', async () => {
  const source = 'console.log(process.env.TRAM, process.env.PATH, process.env.HOME)'
  expect(await run(...createNodeCommand(source), { env: { TRAM: 'late' }, isBare: true })).toBe(
    'late undefined undefined\n',
  )
})

it('throws with the output of a command that fails', async () => {
  await expect(
    run(...createNodeCommand('console.log("derailed"); process.exit(3)')),
  ).rejects.toThrow(/ended with 3:\nderailed/)
  await expect(
    serve(...createNodeCommand('console.log("derailed")'), /listening on (\S+)/),
  ).rejects.toThrow(/before it was ready:\nderailed/)
})

it.each([{ isGroup: false }, { isGroup: true }])(
  'serves until it is stopped: %j',
  async (options) => {
    const server = `process.on('SIGTERM', () => process.exit()); setInterval(() => 0, 1000); console.log('listening on ' + process.pid)`
    const { address, stop } = await serve(
      ...createNodeCommand(server),
      /listening on (\d+)/,
      options,
    )
    expect(process.kill(Number(address), 0)).toBe(true)
    await stop()
    expect(() => process.kill(Number(address), 0)).toThrow()
  },
)
