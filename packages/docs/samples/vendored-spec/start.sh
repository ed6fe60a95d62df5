mkdir -p vendor .changeset
echo '{ "changelog": "@changesets/cli/changelog", "baseBranch": "main" }' > .changeset/config.json
echo node_modules > .gitignore
npm install openapi-fetch@0.17.0 zod@4.6.7
npm install --save-dev @changesets/cli@2.31.1 @farebox/codegen @farebox/impact @farebox/spec-diff typescript@5.9.3
npm run update
npm run generate
git add .
git commit -m "Vendor the contract, and generate from it"
