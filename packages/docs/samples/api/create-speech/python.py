import json
import os
import urllib.request

base_url, key = os.environ["FAREBOX_BASE_URL"], os.environ["FAREBOX_API_KEY"]
headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
body = {"input": "Two tickets to the harbour, please.", "response_format": "wav"}

request = urllib.request.Request(f"{base_url}/audio/speech", json.dumps(body).encode(), headers)
with urllib.request.urlopen(request) as response:
    audio = response.read()
print(response.headers["content-type"], len(audio) > 10_000)
