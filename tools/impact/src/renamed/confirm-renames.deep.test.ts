import { writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { PassThrough } from 'node:stream'
import { UsageError } from '@farebox/command-line'
import type { Contract } from '@farebox/spec-diff'
import type ts from 'typescript'
import { beforeAll, expect, it } from 'vitest'
import {
  createConsumer,
  listErrors,
  generateInto,
  loadProgram,
  writeSpec,
  type Consumer,
} from '../../test/consumer.js'
import { guesses, readWorkshop } from '../../test/workshop.js'
import { findFixes } from '../fix/find-fixes.js'
import { rewrite, createDiff } from '../fix/edit.js'
import {
  confirmRenames,
  createTerminalAsk,
  chooseForm,
  type Ask,
  type ConfirmedRenames,
} from './confirm-renames.js'

let consumer: Consumer
let base: Contract
let program: ts.Program
beforeAll(async () => {
  consumer = await createConsumer('confirmed')
  await generateInto(consumer, readWorkshop())
  base = await writeSpec(consumer, readWorkshop(), 'base')
  program = loadProgram(consumer)
})

async function confirm(
  guess: keyof typeof guesses,
  renamed: readonly string[],
  ask?: Ask,
): Promise<ConfirmedRenames> {
  const head = await writeSpec(consumer, readWorkshop(guesses[guess]), guess)
  return confirmRenames({ base, head, program }, renamed, ask)
}

function listForms({ open, all }: ConfirmedRenames): readonly string[] {
  return open.map((one) => chooseForm(one, all))
}

function listReasons({ places, open }: ConfirmedRenames): readonly string[] {
  return [...new Set(findFixes(places, open).edits.map(({ reason }) => reason))]
}

it('edits nothing for an unconfirmed rename, and prints the command to confirm it', async () => {
  const found = await confirm('properties', [])
  expect(listForms(found)).toEqual(['Job.note=side-note', 'JobRequest.prompt=text'])
  // nor for the name that it may have now: a placeholder would be in its way
  expect(listReasons(found)).toEqual([])
  expect(listReasons(await confirm('values', []))).toEqual([])
})

it('edits the same for a confirmed rename as for a stated one', async () => {
  const found = await confirm('properties', ['prompt=text', 'Job.note=side-note'])
  const files = rewrite(findFixes(found.places).edits, consumer.root)
  await expect(await createDiff(files)).toMatchFileSnapshot(
    '../../fixtures/fixes/properties-that-say-so.diff',
  )
  expect(found.open).toEqual([])
})

it('prompts for each on a terminal, and accepts only yes', async () => {
  const questions: string[] = []
  const createAnswers = (answers: readonly string[]) => async (question: string) =>
    answers[questions.push(question) - 1] ?? ''
  const found = await confirm('properties', [], createAnswers(['no', '']))
  expect(questions).toEqual([
    'Job.note is called side-note now, with the same shape. Is it a rename? [y/N] ',
    'JobRequest.prompt is called text now, with the same shape. Is it a rename? [y/N] ',
  ])
  // a name that is new has a placeholder
  expect([listForms(found), listReasons(found)]).toEqual([
    [],
    ['required now: text', 'required now: side-note'],
  ])
  questions.length = 0
  const yes = await confirm('properties', [], createAnswers(['no', 'Yes']))
  expect([listForms(yes), listReasons(yes)]).toEqual([
    [],
    ['prompt is called text now', 'required now: side-note'],
  ])
})

it('rejects an unknown, an ambiguous and a contradictory one with the choices', async () => {
  await expect(confirm('properties', ['note=remark'])).rejects.toThrow(
    new UsageError(
      '--renamed: found "note=remark", which is no possible rename. Expected one of:\n' +
        '  Job.note=side-note  (Job.note is called side-note now)\n' +
        '  JobRequest.prompt=text  (JobRequest.prompt is called text now)',
    ),
  )
  await expect(confirm('twice', ['id=key'])).rejects.toThrow(
    /"id=key", which fits several\. Expected one of:\n {2}getJob\.id=key .*\n {2}deleteJob\.id=key /,
  )
  await expect(confirm('two names', ['seed=first', 'seed=other'])).rejects.toThrow(
    /"JobRequest\.seed=first", which contradicts another\./,
  )
  await expect(confirm('none', ['seed=first'])).rejects.toThrow(
    /There is no possible rename between these versions\.$/,
  )
})

it('renames values, and a second run finds nothing to do', async () => {
  const renamed = [
    'Voice.tenor=countertenor',
    'JobStatus.queued=waiting',
    'listJobs.cursor=page.after',
  ]
  const found = await confirm('values', renamed)
  const files = rewrite(findFixes(found.places).edits, consumer.root)
  await expect(await createDiff(files)).toMatchFileSnapshot(
    '../../fixtures/fixes/confirmed-values.diff',
  )
  for (const { path, after } of files) writeFileSync(join(consumer.root, path), after)
  program = loadProgram(consumer)
  const again = await confirm('values', renamed)
  expect([findFixes(again.places).edits, again.open]).toEqual([[], []])
  expect((await confirm('values', [])).open).toEqual([])
  // a type with a member for each value, and a type that names the values itself
  const left = again.places.changes.filter(({ code }) => code === 'response-enum-widened')
  const places = findFixes(again.places).left.filter(({ change }) => left.includes(change))
  expect(places.map(({ file, line }) => `${relative(consumer.root, file)}:${line}`)).toEqual([
    'src/derived.ts:26',
    'src/typed.ts:39',
  ])
  await generateInto(consumer, readWorkshop(guesses['values']))
  expect(await listErrors(consumer)).toEqual(['src/derived.ts:26', 'src/typed.ts:40'])
})

function createTerminal(isTTY: boolean) {
  return {
    in: Object.assign(new PassThrough(), { isTTY }),
    err: Object.assign(new PassThrough(), { isTTY }),
  }
}

it('prompts only on a terminal', async () => {
  expect(createTerminalAsk(createTerminal(false))).toBeUndefined()
  expect(
    createTerminalAsk({ ...createTerminal(true), err: createTerminal(false).err }),
  ).toBeUndefined()
  const streams = createTerminal(true)
  const response = createTerminalAsk(streams)?.('Is it? ')
  streams.in.write('y\n')
  expect(await response).toBe('y')
  expect(String(streams.err.read())).toContain('Is it? ')
})

it('treats end of input as no', async () => {
  const streams = createTerminal(true)
  const response = createTerminalAsk(streams)?.('Is it? ')
  streams.in.end()
  expect(await response).toBe('')
})
