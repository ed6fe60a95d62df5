import { describe, expect, it } from 'vitest'
import type { Command, Program } from './command.js'
import { readArguments } from './read-arguments.js'

const commands: readonly Command[] = [
  {
    name: 'ride',
    summary: 'buy a ride',
    details: 'FROM of - is read\nfrom stdin.',
    operands: [{ name: 'FROM', required: true }],
    flags: [
      {
        name: 'zone',
        kind: 'text',
        value: 'ZONE',
        help: 'where to, a zone of the network of trams that the city has had for a hundred years',
      },
      { name: 'stop', kind: 'text', value: 'STOP', help: 'by way of', many: true },
      { name: 'no-bell', kind: 'switch', help: 'quietly', variable: 'TRAM_NO_BELL' },
    ],
    examples: ['tram ride Harbour --zone 2'],
  },
  { name: 'cards create', summary: 'make a card', operands: [], flags: [], examples: [] },
  { name: 'lines', summary: 'list the lines', operands: [], flags: [], examples: [] },
  {
    name: 'lines create',
    summary: 'make a line',
    operands: [{ name: 'NAME', required: true }],
    flags: [],
    examples: [],
  },
  {
    name: 'inspect',
    summary: 'look at cards',
    operands: [{ name: 'CARD', required: true, many: true }],
    flags: [],
    examples: [],
  },
  { name: 'depot', summary: 'run the depot', operands: [], flags: [], passes: true, examples: [] },
]

const tram: Program = {
  name: 'tram',
  summary: 'rides trams',
  version: '1.2.3',
  operands: [],
  flags: [
    { name: 'json', kind: 'switch', help: 'print JSON' },
    {
      name: 'fare',
      kind: 'text',
      value: 'USD',
      help: 'the fare',
      variable: 'TRAM_FARE',
      fallback: '2.5',
    },
  ],
  commands,
  examples: ['tram lines'],
  credentials: 'Set TRAM_KEY.',
  notes: [{ title: 'Credentials:', rows: [['TRAM_KEY', 'a key']] }],
}

function readInvocation(args: readonly string[], environment = {}) {
  const invocation = readArguments(tram, args, { environment })
  if ('show' in invocation) throw new Error(`It shows ${invocation.show}`)
  return invocation
}

function readHelp(...args: readonly string[]): string {
  const invocation = readArguments(tram, args)
  return 'show' in invocation ? invocation.show : ''
}

describe('readArguments', () => {
  it('finds a command of one word or two, with common flags on either side of it', () => {
    expect(readInvocation(['--json', 'ride', 'Harbour', '--zone', '2'])).toMatchObject({
      member: { name: 'ride' },
      arguments: { operands: ['Harbour'] },
    })
    expect(readInvocation(['ride', 'Harbour', '--json']).arguments.has('json')).toBe(true)
    expect(readInvocation(['cards', 'create']).member?.name).toBe('cards create')
    expect(readInvocation(['cards', 'create', '--json']).arguments.has('json')).toBe(true)
    expect(readInvocation(['lines']).member?.name).toBe('lines')
    expect(readInvocation(['lines', 'create', '7'])).toMatchObject({
      member: { name: 'lines create' },
      arguments: { operands: ['7'] },
    })
  })

  it('takes the flag before its variable, and the variable before the fallback', () => {
    expect(
      readInvocation(['lines', '--fare', '1'], { TRAM_FARE: '2' }).arguments.number('fare'),
    ).toBe(1)
    expect(readInvocation(['lines'], { TRAM_FARE: '2' }).arguments.number('fare')).toBe(2)
    expect(readInvocation(['lines'], { TRAM_FARE: '' }).arguments.number('fare')).toBe(2.5)
  })

  it('takes a number below zero, a text that begins with a dash, a flag more than once, and one that negates', () => {
    expect(readInvocation(['ride', 'x', '--zone', '-1']).arguments.number('zone')).toBe(-1)
    expect(readInvocation(['ride', '--', '-5 degrees']).arguments.operands).toEqual(['-5 degrees'])
    expect(readInvocation(['ride', 'x', '--stop', 'a', '--stop=b']).arguments.all('stop')).toEqual([
      'a',
      'b',
    ])
    expect(readInvocation(['ride', 'x', '--no-bell']).arguments.has('no-bell')).toBe(true)
    expect(readInvocation(['ride', 'x']).arguments.has('no-bell')).toBe(false)
  })

  it('reads the variable of a switch strictly', () => {
    for (const value of ['1', 'true'])
      expect(readInvocation(['ride', 'x'], { TRAM_NO_BELL: value }).arguments.has('no-bell')).toBe(
        true,
      )
    for (const value of ['', '0', 'false'])
      expect(readInvocation(['ride', 'x'], { TRAM_NO_BELL: value }).arguments.has('no-bell')).toBe(
        false,
      )
    expect(() =>
      readInvocation(['ride', 'x'], { TRAM_NO_BELL: 'yes' }).arguments.has('no-bell'),
    ).toThrow('TRAM_NO_BELL: found "yes", expected 1 or true, 0 or false.')
  })

  it('takes all words of an operand that may stand more than once', () => {
    expect(readInvocation(['inspect', 'a', '--json', 'b', 'c']).arguments.operands).toEqual([
      'a',
      'b',
      'c',
    ])
    expect(() => readInvocation(['inspect'])).toThrow("Missing required argument 'CARD'.")
    expect(readHelp('inspect', '--help')).toMatch(/^Usage: tram inspect \[options\] <CARD\.\.\.>\n/)
    expect(readHelp()).toMatch(/\n {2}inspect <CARD\.\.\.> +look at cards\n/)
  })

  it('passes everything on where the command wants that', () => {
    const { arguments: depot } = readInvocation(['depot', '--port', '0', '--json', '--help'])
    expect(depot.operands).toEqual(['--port', '0', '--json', '--help'])
    expect([depot.has('json'), depot.text('fare')]).toEqual([false, '2.5'])
  })

  it.each<[readonly string[], string]>([
    [['rid', 'x'], "Unknown command 'rid'. Did you mean ride?"],
    [['frobnicate'], "Unknown command 'frobnicate'."],
    [['help', 'frobnicate'], "Unknown command 'frobnicate'."],
    [['cards'], 'cards needs a second word; expected create.'],
    [['ride'], "Missing required argument 'FROM'."],
    [
      ['ride', 'Old', 'Harbour'],
      "Too many arguments for 'ride'. Expected 1 argument but got 2. Quote an argument that contains spaces.",
    ],
    [['lines', '--zone', '2'], "Unknown option '--zone'."],
    [['lines', '--jsn'], "Unknown option '--jsn'. Did you mean --json?"],
    [['lines', '--json=1'], '--json takes no value.'],
    [['ride', 'x', '--zone'], "Option '--zone <ZONE>' argument missing."],
    [['ride', 'x', '--zone', '--stop', 'a'], '--zone: found "--stop", expected ZONE before it.'],
    [['--json'], 'There are options but no command.'],
  ])('rejects %j', (args, message) => {
    expect(() => readArguments(tram, args)).toThrow(message)
  })

  it.each([
    '--api-key=s3cret',
    '--private-key=0xs3cret',
    '--key',
    '--token=s3cret',
    '--admin-key=s3cret',
    '--key-pepper=s3cret',
  ])('takes no credential in %s', (option) => {
    const read = () => readInvocation(['lines', option])
    expect(read).toThrow(
      /is not an option: everybody who runs ps would read the credential\. Set TRAM_KEY\./,
    )
    expect(read).not.toThrow(/s3cret/)
  })

  it('says what was found and what was expected of a value', () => {
    const { arguments: ride } = readInvocation(['ride', 'x', '--zone', '0x10'])
    expect(() => ride.number('zone', 0)).toThrow(
      '--zone: found "0x10", expected a number such as 2.5, 0 or more.',
    )
    expect(() => ride.integer('zone', 0, 65_535)).toThrow(
      '--zone: found "0x10", expected an integer from 0 to 65535.',
    )
    expect(() => ride.choice('zone', ['a', 'b'])).toThrow(
      '--zone: found "0x10", expected one of a, b.',
    )
    expect(
      readInvocation(['ride', 'x', '--zone', '65535']).arguments.integer('zone', 0, 65_535),
    ).toBe(65_535)
    expect(() => ride.text('zoen')).toThrow('does not declare --zoen')
  })
})

describe('the help', () => {
  it('of no command lists the commands, and help X equals X --help', () => {
    expect(readHelp()).toBe(readHelp('--help'))
    expect(readHelp('help')).toBe(readHelp('--help'))
    expect(readHelp('help', 'ride')).toBe(readHelp('ride', '--help'))
    expect(readHelp('help', 'cards', 'create')).toBe(readHelp('cards', 'create', '-h'))
    expect(readHelp()).toMatch(
      /\n {2}ride <FROM> +buy a ride\n {2}cards +create: make a card\n {2}lines +list the lines; create: make a line\n/,
    )
    expect(readHelp()).toMatch(/Credentials:\n {2}TRAM_KEY {2}a key\n\nExamples:\n {2}tram lines$/)
  })

  it('of a command has its own options, those of all commands and examples', () => {
    const help = readHelp('ride', '--help')
    expect(help).toMatch(
      /^Usage: tram ride \[options\] <FROM>\n\nBuy a ride\.\n\nFROM of - is read from stdin\.\n/,
    )
    expect(help).toMatch(/--fare <USD> +the fare \(default: 2\.5, env: TRAM_FARE\)/)
    expect(help).toMatch(/Examples:\n {2}tram ride Harbour --zone 2$/)
  })

  it('takes the width of the variable COLUMNS where the terminal has none', () => {
    const widest = (options: object) => {
      const invocation = readArguments(tram, ['ride', '--help'], options)
      return 'show' in invocation
        ? Math.max(...invocation.show.split('\n').map(({ length }) => length))
        : undefined
    }
    const environment = { COLUMNS: '40' }
    expect(widest({ environment })).toBeLessThanOrEqual(40)
    expect(widest({ environment, width: 0 })).toBeLessThanOrEqual(40)
    expect(widest({ environment, width: 80 })).toBeGreaterThan(40)
    expect(widest({ environment: { COLUMNS: 'x' } })).toBeGreaterThan(40)
  })

  it('names many commands that begin with the same word, and describes few', () => {
    const make = (name: string) => ({
      name: `cards ${name}`,
      summary: `${name} a card`,
      operands: [],
      flags: [],
      examples: [],
    })
    const summaries = (...names: readonly string[]) =>
      readArguments({ ...tram, commands: names.map(make) }, [])
    expect(summaries('make', 'end')).toMatchObject({
      show: expect.stringContaining('make: make a card; end: end a card') as string,
    })
    const many = summaries('make', 'list', 'show', 'end')
    expect(many).toMatchObject({
      show: expect.stringMatching(
        /make, list, show, end; tram cards --help\s+describes them/,
      ) as string,
    })
  })

  it.each([40, 60, 80, 120])('fits a terminal of %i columns', (width) => {
    const invocation = readArguments(tram, ['ride', '--help'], { width })
    const lines = 'show' in invocation ? invocation.show.split('\n') : []
    expect(lines.length).toBeGreaterThan(10)
    expect(lines.filter((line) => line.length > width)).toEqual([])
  })

  it('and the version are shown whatever else there is', () => {
    expect(readHelp('--version')).toBe('1.2.3')
    expect(readHelp('--help', '--json')).toBe(readHelp('--help'))
  })
})
