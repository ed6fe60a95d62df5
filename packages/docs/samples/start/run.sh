node packages/farebox/first-call.mjs
