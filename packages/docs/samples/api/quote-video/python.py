import json
import os
import urllib.request

base_url = os.environ["FAREBOX_BASE_URL"]
body = {"model": "local-test-clip", "duration": "5s", "resolution": "720p"}

request = urllib.request.Request(f"{base_url}/video/quote", json.dumps(body).encode(), {"Content-Type": "application/json"})
with urllib.request.urlopen(request) as response:
    print(response.status, json.load(response))
