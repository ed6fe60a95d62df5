export FAREBOX_ADMIN_KEY=$(openssl rand -hex 24)
farebox-service --port 4020 --data ./farebox-data --origin https://api.example.com --service-name Example \
  --no-wallets # or --facilitator URL, or --unsettled-payments
