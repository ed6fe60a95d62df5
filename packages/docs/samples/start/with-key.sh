curl -sS "$FAREBOX_BASE_URL/audio/speech" -H "Authorization: Bearer $FAREBOX_API_KEY" \
  -H 'Content-Type: application/json' -d '{"input": "Welcome aboard."}' -o welcome.mp3
ls -l welcome.mp3
