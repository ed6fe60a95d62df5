npx --yes pnpm@12.21.0 build
