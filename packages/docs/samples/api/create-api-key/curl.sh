curl -sS "$FAREBOX_BASE_URL/api_keys" \
  -H "Authorization: Bearer $FAREBOX_API_KEY" \
  -H 'Content-Type: application/json' \
  -d '{"apiKeyType": "INFERENCE", "description": "Nightly summaries", "consumptionLimit": {"usd": 20}, "limitPeriod": "MONTH"}'
