import json
import os
import urllib.request

base_url, key = os.environ["FAREBOX_BASE_URL"], os.environ["FAREBOX_API_KEY"]
headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
body = {"model": "local-test-clip", "queue_id": os.environ["QUEUE_ID"]}

# JSON while it is worked on, the file once it is there
request = urllib.request.Request(f"{base_url}/video/retrieve", json.dumps(body).encode(), headers)
with urllib.request.urlopen(request) as response:
    print(response.headers["content-type"], len(response.read()) > 5_000)
