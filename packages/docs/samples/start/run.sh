node first-call.mjs
