import json
import os
import urllib.request

base_url = os.environ["FAREBOX_BASE_URL"]
with urllib.request.urlopen(f"{base_url}/models/tts-kokoro") as response:
    print(response.status, json.load(response))
