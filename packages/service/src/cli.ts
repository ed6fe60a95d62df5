#!/usr/bin/env node
import { runProgram, UsageError, world } from '@farebox/command-line'
import { failureSentence } from './failure-sentence.js'
import { program } from './settings/program.js'

// the reader of our output may close it before the service ends
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)
// A command loads its own parts alone: all of them take four times as long as a wrong option.
process.exitCode = await runProgram(program, process.argv.slice(2), world, async (given) => {
  if (given.operands[0] === 'doctor') return (await import('./doctor/doctor.js')).doctor(given, process.env)
  const { readSettings } = await import('./settings/settings.js')
  const settings = readSettings(given, process.env)
  try {
    if (settings.command === 'catalogue') return (await import('./print-catalogue.js')).printCatalogue(settings)
    if (settings.databaseUrl === undefined) await (await import('./platform/database/folder-answers.js')).folderAnswers(settings.data)
    if (settings.command === 'backup') return await (await import('./back-up.js')).backUp(settings)
    if (settings.command === 'restore') return await (await import('./back-up.js')).restore(settings)
    if (settings.usage) return await (await import('./report-usage.js')).reportUsage(settings, settings.usage)
    if (settings.command !== 'serve') return await (await import('./manage.js')).manage(settings)
    await (await import('./serve.js')).serve(settings)
    return 0
  } catch (error) {
    if (error instanceof UsageError) throw error
    process.stderr.write(`${program.name}: ${failureSentence(error, settings.logLevel)}\n`)
    return 1
  }
})
