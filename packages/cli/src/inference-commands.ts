import { type Command, idempotencyKey, output, text, yes } from './command.js'

const model = (kind: string, type: string) =>
  text(
    'model',
    'MODEL',
    `the ${kind} model (default: the first that farebox models --type ${type} lists)`,
  )

/** The commands that ask models for text, vectors, images and transcripts. */
export const inferenceCommands: readonly Command[] = [
  {
    name: 'chat',
    summary: 'ask a text model, and print its answer as it comes',
    details:
      'If PROMPT is -, it is read from stdin. With --json the whole completion is printed, with its usage.',
    operands: [{ name: 'PROMPT', required: true }],
    fields: ['messages.0.content'],
    flags: [
      model('text', 'text'),
      text('system', 'TEXT', 'instructions for the model'),
      {
        ...text('max-tokens', 'COUNT', 'the longest answer, in tokens'),
        field: 'max_completion_tokens',
      },
      text('temperature', 'NUMBER', '0 to 2'),
      yes,
      idempotencyKey,
    ],
    examples: [
      'farebox chat "Name three night buses"',
      'farebox chat - --system "Summarize in one sentence." < report.txt',
      'farebox chat "Hello" --json --select choices.message.content',
    ],
    load: async () => (await import('./commands/chat.js')).chat,
  },
  {
    name: 'embed',
    summary: 'turn texts into vectors',
    details:
      'If TEXT is -, it is read from stdin. Each vector is a line of JSON. With --json they come with their index.',
    operands: [{ name: 'TEXT', required: true, many: true }],
    fields: ['input'],
    flags: [
      model('embedding', 'embedding'),
      text('dimensions', 'COUNT', 'the length of the vectors, for models that accept it'),
      yes,
      idempotencyKey,
    ],
    examples: ['farebox embed "night bus" "day ticket" > vectors.jsonl'],
    load: async () => (await import('./commands/embed.js')).embed,
  },
  {
    name: 'image',
    summary: 'generate an image',
    details:
      'If PROMPT is -, it is read from stdin. The name of the output file decides the format: .png, .jpg or .webp. The default is png.',
    operands: [{ name: 'PROMPT', required: true }],
    fields: ['prompt'],
    flags: [
      output,
      model('image', 'image'),
      text('size', 'SIZE', 'such as 1024x1024, as the model allows'),
      { ...text('quality', 'QUALITY', 'low, medium or high, as the model allows') },
      yes,
      idempotencyKey,
    ],
    examples: ['farebox image "A tram in the rain" -o tram.png'],
    load: async () => (await import('./commands/image.js')).image,
  },
  {
    name: 'transcribe',
    summary: 'write down a recording',
    details:
      'Takes MP3, WAV, FLAC, M4A, OGG and WebM of at most 25 MB. If FILE is -, it is read from stdin. With --json the result has times.',
    operands: [{ name: 'FILE', required: true, completes: 'file' }],
    fields: ['file'],
    flags: [
      output,
      model('transcription', 'asr'),
      {
        ...text('format', 'FORMAT', 'text, srt or vtt (default text)'),
        field: 'response_format',
        choices: ['text', 'srt', 'vtt'],
      },
      text('language', 'LANGUAGE', 'the language, such as en (default: the model detects it)'),
      text('prompt', 'TEXT', 'words that the model should expect'),
      yes,
      idempotencyKey,
    ],
    examples: [
      'farebox transcribe meeting.mp3 > meeting.txt',
      'farebox transcribe film.m4a --format srt -o film.srt',
    ],
    load: async () => (await import('./commands/transcribe.js')).transcribe,
  },
]
