curl -sS "$FAREBOX_BASE_URL/audio/transcriptions" \
  -H "Authorization: Bearer $FAREBOX_API_KEY" \
  -F file=@voice.wav -F model=local-test-transcription -F response_format=srt
