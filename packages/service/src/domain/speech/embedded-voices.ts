import { modelVoices } from '@farebox/types/operations'
import type { FliteVoice } from './flite.js'

/** Female and male voices. kal16 stands in for cloned voices. */
const female: readonly FliteVoice[] = ['slt']
const male: readonly FliteVoice[] = ['rms', 'awb']

/** Male voices of the contract. Names of Kokoro voices have the sex in their second letter. */
const men: ReadonlySet<string> = new Set(
  `Uncle_Fu Dylan Eric Ryan Aiden rex sal leo Craig Alex Edward Theodore Ronald Mark Hades Blade Carl Cliff Richard Rico dan zac Roger Charlie
   George Callum River Liam Will Chris Brian Daniel Bill DeepVoiceMan CasualGuy PatientMan YoungKnight DeterminedMan ImposingManner ElegantMan
   FriendlyPerson Achird Algenib Algieba Alnilam Charon Enceladus Fenrir Iapetus Orus Puck Rasalgethi Sadachbia Sadaltager Schedar Umbriel
   Zubenelgenubi Kent Jack Maximilian Sergio Leo Davi`.split(/\s+/),
)

/**
 * The embedded voice that stands in for a voice of the contract, of the same sex and always the
 * same. Cloned voices are not imitated, and get one of their own.
 */
export function embeddedVoice(voice: string): FliteVoice {
  if (!known.has(voice)) return 'kal16'
  const choices = isMan(voice) ? male : female
  const sum = new TextEncoder().encode(voice).reduce((total, byte) => total + byte, 0)
  return choices[sum % choices.length] ?? 'slt'
}

const known: ReadonlySet<string> = new Set(Object.values(modelVoices).flatMap(({ voices }): readonly string[] => voices))

function isMan(voice: string): boolean {
  const [, sex] = /^[a-z]([fm])_/.exec(voice) ?? []
  return sex === undefined ? men.has(voice) : sex === 'm'
}
