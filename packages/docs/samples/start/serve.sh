# leave this running
(umask 077 && openssl rand -hex 24 > admin.key)
FAREBOX_ADMIN_KEY=$(cat admin.key) \
  npx --yes pnpm@12.21.0 serve --port 4020 --data ./farebox-data
