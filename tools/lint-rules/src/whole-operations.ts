/**
 * The operations that the interface specification describes whole. Every other one is provisional.
 */
export const wholeOperations: readonly string[] = ['listTransactions', 'createSpeech', 'createApiKey', 'parseText', 'queueVideo']
