npx --yes pnpm@12.21.0 generate --spec petstore.yaml --out src/petstore
