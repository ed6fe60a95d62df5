# SIGN_IN_WITH_X is what samples/wallet/print-header.ts prints; a header works once
curl -sS "$FAREBOX_BASE_URL/x402/transactions/$WALLET_ADDRESS?limit=10" \
  -H "SIGN-IN-WITH-X: $SIGN_IN_WITH_X"
