# without a payment the response is 402 and says what can be paid
curl -sS -X POST "$FAREBOX_BASE_URL/x402/top-up" -w '\n%{http_code}\n'
