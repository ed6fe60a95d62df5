import { readContract } from '@farebox/reference'
import document from '../../.prepared/contract.json'

export const contract = readContract(document)
