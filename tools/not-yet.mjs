// Stands behind the root commands whose part is still to come, so that they fail with a reason.
console.error(`${process.argv[2]} is not there yet. What is there: quickstart, test, generate, check, serve, bench, spec:lint, spec:diff.`)
process.exitCode = 1
