import { createSpeech, queueVideo, type Tool } from '@farebox/mcp'
import type { Command, Flag } from './command.js'

const output: Flag = {
  name: 'output',
  kind: 'text',
  short: 'o',
  value: 'FILE',
  help: 'where the result goes; - is stdout',
  completes: 'file',
}
const idempotencyKey: Flag = {
  name: 'idempotency-key',
  kind: 'text',
  value: 'KEY',
  help: 'the same key asks for the same thing again, free of charge',
}

/** Every command, in the order of the help. */
export const commands: readonly Command[] = [
  {
    name: 'speech',
    summary: 'say a text',
    details: 'TEXT of - is read from stdin. The format is the one that the file is named for, else mp3.',
    operands: [{ name: 'TEXT', required: true }],
    flags: [
      output,
      {
        name: 'model',
        kind: 'text',
        value: 'MODEL',
        help: 'who speaks (default tts-kokoro)',
        choices: valuesOf(createSpeech, 'SpeechModel'),
      },
      { name: 'voice', kind: 'text', value: 'VOICE', help: "a voice of the model, or a cloned one (default: the model's own)" },
      {
        name: 'format',
        kind: 'text',
        value: 'FORMAT',
        help: 'mp3, opus, aac, flac, wav or pcm',
        choices: valuesOf(createSpeech, 'SpeechFormat'),
      },
      { name: 'speed', kind: 'text', value: 'FACTOR', help: '0.25 to 4 (default 1)' },
      { name: 'language', kind: 'text', value: 'LANGUAGE', help: 'of the text; without it the model finds out' },
      { name: 'prompt', kind: 'text', value: 'TEXT', help: 'style and delivery, for models that take it' },
      { name: 'temperature', kind: 'text', value: 'NUMBER', help: '0 to 2, for models that take it' },
      { name: 'top-p', kind: 'text', value: 'NUMBER', help: '0 to 1, for models that take it' },
      { name: 'stream', kind: 'switch', help: 'have it sent sentence by sentence' },
      idempotencyKey,
    ],
    examples: ['farebox speech "Hello" -o hello.mp3', 'farebox speech - --voice bm_george < story.txt | play -t mp3 -'],
    load: async () => (await import('./commands/speech.js')).speech,
  },
  {
    name: 'parse',
    summary: 'get the text out of a PDF, DOCX, PPTX, XLSX or text file',
    details: 'FILE of - is read from stdin. The text goes to stdout, with --json together with its count of tokens.',
    operands: [{ name: 'FILE', required: true, completes: 'file' }],
    flags: [output, idempotencyKey],
    examples: ['farebox parse fare-table.pdf', 'farebox parse fare-table.pdf --json'],
    load: async () => (await import('./commands/parse.js')).parse,
  },
  {
    name: 'balance',
    summary: 'what there is to spend',
    operands: [],
    flags: [],
    examples: ['farebox balance', 'farebox balance --as key --json'],
    load: async () => (await import('./commands/balance.js')).balance,
  },
]

/** The values that the contract allows for a named schema. */
function valuesOf({ inputSchema }: Tool, name: string): readonly string[] {
  const definitions = inputSchema['$defs'] as Readonly<Record<string, { readonly enum?: readonly unknown[] }>> | undefined
  return (definitions?.[name]?.enum ?? []).filter((value) => typeof value === 'string')
}
void queueVideo
