/** The models of the embedded backends. They are not in the contract, and no upstream has them. */
export const testModels = {
  chat: 'local-test-chat',
  embedding: 'local-test-embedding',
  image: 'local-test-image',
  transcription: 'local-test-transcription',
} as const

const ids: ReadonlySet<string> = new Set(Object.values(testModels))

export function isTestModel(id: string): boolean {
  return ids.has(id)
}
