import type { Services } from '../contract/handler.js'
import type { IsServed } from '../domain/models/catalogue.js'
import { findCapability } from '../domain/models/find-capability.js'

/** Whether a backend serves a model. Speech and video have a backend for every model. */
export function isServed(services: Services): IsServed {
  return (id) => {
    const capability = findCapability(services.catalogue, id)
    return capability === 'speech' || capability === 'video' || capability === 'text'
      ? true
      : services[capability].serves(id)
  }
}
