import json
import os
import urllib.error
import urllib.request

base_url = os.environ["FAREBOX_BASE_URL"]
# without a payment the response is 402 and says what can be paid
try:
    urllib.request.urlopen(urllib.request.Request(f"{base_url}/x402/top-up", method="POST"))
except urllib.error.HTTPError as error:
    print(error.code, json.load(error)["accepts"][0])
