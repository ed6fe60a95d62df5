import type { LocalSpeech } from '@farebox/local-backends'
import {
  loadLocalBackends,
  NoLocalBackendsError,
  readLocalFault,
} from '../../platform/local-backends.js'
import { timeLimit } from '../../platform/time.js'
import { noteOwnWork } from '../../platform/upstream/work-cost.js'
import { SpeechError, type SpeechBackend } from '../speech/speech-backend.js'

/** Speech of the local synthesizer, which is loaded when it is first needed. */
export function createLocalSpeech(
  open: () => Promise<LocalSpeech> = openSynthesizer,
): SpeechBackend {
  let opening: Promise<LocalSpeech> | undefined
  let opened: LocalSpeech | undefined
  const local = async () => (opened ??= await (opening ??= open()))
  return {
    describe: (request) => `embedded test model; ${opened?.describe(request) ?? 'not loaded'}`,

    refuseLate: async (request) => {
      try {
        const speech = await local()
        speech.refuseLate(request)
      } catch (error) {
        throw toSpeechError(error)
      }
    },

    async *speak(request, signal) {
      try {
        const speech = await local()
        noteOwnWork(request.cost, request.model)
        yield* speech.speak(request, signal)
      } catch (error) {
        throw toSpeechError(error)
      }
    },

    load: () => opened?.load() ?? { busy: 0, waiting: 0 },

    ready: async () => {
      try {
        const speech = await local()
        await speech.ready()
      } catch (error) {
        // a service without the package has no speech, and works otherwise
        if (!(error instanceof NoLocalBackendsError)) throw error
      }
    },

    close: async () => {
      const speech = await opening?.catch(() => undefined)
      await speech?.close()
    },
  }
}

async function openSynthesizer(): Promise<LocalSpeech> {
  const backends = await loadLocalBackends()
  return backends.createLocalSpeech({ timeoutScale: timeLimit(1) })
}

function toSpeechError(error: unknown): unknown {
  const fault = readLocalFault(error)
  return fault ? new SpeechError(fault.code, fault.message, fault) : error
}
