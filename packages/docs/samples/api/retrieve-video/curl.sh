# QUEUE_ID is what /video/queue returned
curl -sS "$FAREBOX_BASE_URL/video/retrieve" \
  -H "Authorization: Bearer $FAREBOX_API_KEY" \
  -H 'Content-Type: application/json' \
  -d "{\"model\": \"local-test-clip\", \"queue_id\": \"$QUEUE_ID\"}" \
  -o clip.mp4 -w '%{http_code} %{content_type}\n'
