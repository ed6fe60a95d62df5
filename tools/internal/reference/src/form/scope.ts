import { createContext } from 'preact'

/** What the ids of a form begin with: a page may have several forms. */
export const Scope = createContext('field')
