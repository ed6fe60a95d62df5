curl -sS "$FAREBOX_BASE_URL/embeddings" \
  -H "Authorization: Bearer $FAREBOX_API_KEY" \
  -H 'Content-Type: application/json' \
  -d '{"model": "local-test-embedding", "input": ["Tickets to the lake"], "dimensions": 4}'
