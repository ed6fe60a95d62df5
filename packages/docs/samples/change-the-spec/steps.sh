$EDITOR spec/schemas/ParsedText.yaml
npx --yes pnpm@12.21.0 spec:lint
npx --yes pnpm@12.21.0 generate
npx --yes pnpm@12.21.0 test
npx --yes pnpm@12.21.0 spec:diff main --changeset
