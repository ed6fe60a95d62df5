curl -sS "$FAREBOX_BASE_URL/audio/voices" \
  -H "Authorization: Bearer $FAREBOX_API_KEY" \
  -F file=@voice.wav -F model=tts-chatterbox-hd
