export FAREBOX_ADMIN_KEY=$(openssl rand -hex 24) FAREBOX_FACILITATOR_KEY=$(cat facilitator.key)
farebox-service --facilitator https://facilitator.example/x402 --facilitator-networks base,solana \
  --pay-to 0x2222222222222222222222222222222222222222 --pay-to-solana YOUR_SOLANA_ADDRESS \
  --solana-rpc https://solana-node.example
