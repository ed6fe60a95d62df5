import json
import os
import urllib.request

base_url, key = os.environ["FAREBOX_BASE_URL"], os.environ["FAREBOX_API_KEY"]
headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
body = {"apiKeyType": "INFERENCE", "description": "Nightly summaries", "consumptionLimit": {"usd": 20}, "limitPeriod": "MONTH"}

request = urllib.request.Request(f"{base_url}/api_keys", json.dumps(body).encode(), headers)
with urllib.request.urlopen(request) as response:
    data = json.load(response)["data"]
print(data["id"])  # data["apiKey"] is shown this once
