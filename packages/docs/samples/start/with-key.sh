curl -sS "$FAREBOX_BASE_URL/audio/speech" -o welcome.mp3 \
  -H "Authorization: Bearer $FAREBOX_API_KEY" \
  -H 'Content-Type: application/json' -d '{"input": "Welcome aboard."}'
ls -l welcome.mp3
