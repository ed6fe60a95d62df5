export FAREBOX_ADMIN_KEY=$(openssl rand -hex 24)
echo "$FAREBOX_ADMIN_KEY" > admin.key
npx --yes pnpm@12.21.0 serve --port 4020 --data ./farebox-data
