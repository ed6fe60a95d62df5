import { readArguments } from '@farebox/command-line'
import { FareboxError } from 'farebox'
import { describe, expect, it } from 'vitest'
import { explain, nameFlags, type CommandInput } from './explain.js'
import { createProgram } from '../program.js'

function parseCommand(...args: readonly string[]): CommandInput {
  const invocation = readArguments(createProgram({}), args)
  if ('show' in invocation || invocation.member === undefined) throw new Error('no command')
  const program = createProgram({})
  return {
    command: { ...invocation.member, flags: [...program.flags, ...invocation.member.flags] },
    arguments: invocation.arguments,
  }
}

describe('nameFlags', () => {
  it.each([
    [
      'speech Hi --speed 9',
      'speed: Too big: expected number to be <=4',
      '--speed: found "9", expected 4 or less',
    ],
    [
      'speech Hi --top-p 7',
      'top_p: Too big: expected number to be <=1',
      '--top-p: found "7", expected 1 or less',
    ],
    [
      'speech Hi',
      'input: Too small: expected string to have >=1 characters',
      'TEXT: found "Hi", expected 1 characters or more',
    ],
    [
      'speech Hi --format x',
      'response_format: Invalid option: expected one of "mp3"|"wav"',
      '--format: found "x", expected one of mp3, wav',
    ],
    [
      'speech Hi --format x',
      'response_format: Expected one of "mp3", "wav", found a string',
      '--format: found "x", expected one of mp3, wav',
    ],
    [
      'speech Hi --speed 9',
      'speed: Expected a number <= 4, found 9',
      '--speed: found "9", expected 4 or less',
    ],
    [
      'keys create --expires x',
      'expiresAt: Expected a string of the format date-time, found a string',
      '--expires: found "x", expected a time such as 2027-01-01T00:00:00Z',
    ],
    ['keys create --limit-usd 5', 'consumptionLimit.usd: no', '--limit-usd: no'],
    [
      'keys create --period X',
      'limitPeriod: Invalid option: expected one of "A"|"B"',
      '--period: found "X", expected one of A, B',
    ],
    [
      'keys create --expires x',
      'expiresAt: Invalid ISO datetime',
      '--expires: found "x", expected a time such as 2027-01-01T00:00:00Z',
    ],
    ['video x', 'reference_image_urls.0: Invalid URL', '--reference-image: Invalid URL'],
    [
      'video x --max-usd 1',
      'costs 2 USD, more than the 1 USD of maxUsd.',
      'costs 2 USD, more than the 1 USD of --max-usd.',
    ],
    ['video x', 'GET /models?type=video lists them.', 'farebox models --type video lists them.'],
    [
      'speech Hi',
      'GET /models/tts-kokoro lists its voices.',
      'farebox voices --model tts-kokoro lists its voices.',
    ],
    [
      'speech Hi --timeout 2.5',
      'No response came within 2500 ms. Raise timeoutMs if the service needs longer.',
      'No response came within 2.5 s. Raise --timeout if the service needs longer.',
    ],
    [
      'video x',
      'No part of the response came within 60000 ms. Raise idleTimeoutMs if the service needs longer.',
      'No part of the response came within 60 s. Raise --timeout if the service needs longer.',
    ],
    ['speech Hi', 'something: of the service', 'something: of the service'],
  ])('says of "%s": %s', (line, message, worded) => {
    expect(nameFlags(message, parseCommand(...line.split(' ')))).toBe(worded)
  })
})

describe('an error of the SDK', () => {
  const words = (message: string, facts: ConstructorParameters<typeof FareboxError>[1]) =>
    explain(new FareboxError(message, facts), {
      isAborted: false,
      typed: parseCommand('speech', 'Hi', '--speed', '9', '--voice', 'x'),
    }).message

  it.each([
    [
      'ECONNREFUSED',
      'Cannot connect to http://127.0.0.1:4020: nothing is listening there (ECONNREFUSED).',
    ],
    ['CERT_HAS_EXPIRED', 'Cannot connect to http://127.0.0.1:4020 (CERT_HAS_EXPIRED).'],
    [undefined, 'Cannot connect to http://127.0.0.1:4020.'],
  ])('says why there is no connection (%s)', (code, message) => {
    const cause = new TypeError('fetch failed', {
      cause: Object.assign(new Error('connect'), { code }),
    })
    const url =
      'createSpeech: POST http://127.0.0.1:4020/api/v1/audio/speech: no connection was made (X); is the service running there?'
    expect(words(url, { code: 'not_sent', operation: 'createSpeech', cause })).toBe(message)
  })

  it('names neither the method nor its fields', () => {
    const input =
      'createSpeech: the input does not match the contract, and nothing was sent. speed: Too big: expected number to be <=4; voice: no'
    expect(words(input, { code: 'invalid_input', operation: 'createSpeech' })).toBe(
      '--speed: found "9", expected 4 or less; --voice: no. Nothing was sent.',
    )
    expect(
      words('createSpeech: 400 The request is not valid. voice: x is none', {
        code: 'x',
        operation: 'createSpeech',
        status: 400,
      }),
    ).toBe('The request is not valid. --voice: x is none (HTTP 400)')
    expect(
      words('createSpeech: 502', { code: 'http_502', operation: 'createSpeech', status: 502 }),
    ).toBe('The service responded with 502.')
  })
})
