import { describe, expect, it } from 'vitest'
import { commands } from './commands.js'
import { commonFlags, readArguments } from './read-arguments.js'

const read = (...args: readonly string[]) => readArguments(args, commands)
const given = (...args: readonly string[]) => {
  const invocation = read(...args)
  if ('show' in invocation) throw new Error(`It shows ${invocation.show}.`)
  return invocation
}

describe('readArguments', () => {
  it('finds a command of one word or two, with options on either side of it', () => {
    expect(given('--json', 'speech', 'Hello', '-o', 'a.mp3')).toMatchObject({
      command: { name: 'speech' },
      arguments: { operands: ['Hello'] },
    })
    expect(given('keys', 'create', '--type', 'ADMIN').command.name).toBe('keys create')
    expect(given('voices').command.name).toBe('voices')
    expect(given('voices', 'create', 'a.wav')).toMatchObject({ command: { name: 'voices create' }, arguments: { operands: ['a.wav'] } })
  })

  it('shows help for no command, for help and for --help', () => {
    expect(read()).toEqual({ show: 'help' })
    expect(read('help')).toEqual({ show: 'help' })
    expect(read('--help', '--json')).toEqual({ show: 'help' })
    expect(read('help', 'keys', 'create')).toMatchObject({ show: 'help', command: { name: 'keys create' } })
    expect(read('video', '--help')).toMatchObject({ show: 'help', command: { name: 'video' } })
    expect(read('--version')).toEqual({ show: 'version' })
  })

  it('takes a number below zero, a text that begins with a dash, and an option more than once', () => {
    expect(given('speech', 'x', '--speed', '-1').arguments.number('speed')).toBe(-1)
    expect(given('speech', '--', '-5 degrees').arguments.operands).toEqual(['-5 degrees'])
    const images = given('video', 'x', '--reference-image', 'a.png', '--reference-image', 'b.png').arguments.all('reference-image')
    expect(images).toEqual(['a.png', 'b.png'])
  })

  it('hands everything of serve over', () => {
    expect(given('serve', '--port', '0', '--help').arguments.operands).toEqual(['--port', '0', '--help'])
  })

  it.each<[readonly string[], string]>([
    [['spech', 'x'], '"spech" is not a command. Did you mean speech?'],
    [['frobnicate'], '"frobnicate" is not a command.'],
    [['keys'], 'keys needs to know what to do. Expected: farebox keys create.'],
    [['speech'], 'speech needs TEXT.'],
    [['speech', 'Hello', 'there'], 'speech takes TEXT, but "there" follows. Put a text with spaces into quotes.'],
    [['balance', '--voice', 'x'], '--voice is not an option of balance.'],
    [['balance', '--jsn'], '--jsn is not an option. Did you mean --json?'],
    [['speech', 'x', '--voice'], "Option '--voice <value>' argument missing"],
    [['--json'], 'There are options but no command. Run farebox --help for the commands.'],
  ])('refuses %j', (args, message) => {
    expect(() => read(...args)).toThrow(message)
  })

  it.each(['--api-key=fbx_secret', '--private-key=0xsecret', '--key', '--token=x'])('takes no credential in %s', (option) => {
    expect(() => read('balance', option)).toThrow(/is not an option: everybody who runs ps would read the credential\. Set FAREBOX_API_KEY/)
    expect(() => read('balance', option)).not.toThrow(/secret/)
  })

  it('judges numbers', () => {
    const { arguments: video } = given('video', 'x', '--max-usd', '0x10', '--poll', '-3')
    expect(() => video.number('max-usd', 0)).toThrow('--max-usd is "0x10"; expected a number such as 2.5, 0 or more.')
    expect(() => video.number('poll', 0.05)).toThrow('--poll is "-3"; expected a number such as 2.5, 0.05 or more.')
  })
})

describe('the commands', () => {
  it('give one name one meaning, as options may stand before the command', () => {
    const flags = [...commonFlags, ...commands.flatMap((command) => command.flags)]
    for (const flag of flags) {
      const { kind, short, many } = flags.find(({ name }) => name === flag.name) ?? flag
      expect({ name: flag.name, kind: flag.kind, short: flag.short, many: flag.many }).toEqual({ name: flag.name, kind, short, many })
    }
  })

  it('take no credential', () => {
    const names = commands.flatMap(({ flags }) => flags.map(({ name }) => name))
    expect(names.filter((name) => /api|secret|private|token|^key/.test(name))).toEqual([])
  })

  it('can all be loaded', async () => {
    for (const { load } of commands) expect(typeof (await load())).toBe('function')
  })
})
