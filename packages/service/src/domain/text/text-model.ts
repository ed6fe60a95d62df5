/** The model of the text parser, as the ledger names it. */
export const textModel = 'text-parser'
