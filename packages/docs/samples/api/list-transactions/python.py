import json
import os
import urllib.request

base_url, address = os.environ["FAREBOX_BASE_URL"], os.environ["WALLET_ADDRESS"]
# what samples/wallet/print-header.ts prints; a header works once
headers = {"SIGN-IN-WITH-X": os.environ["SIGN_IN_WITH_X"]}

request = urllib.request.Request(f"{base_url}/x402/transactions/{address}?limit=10", headers=headers)
with urllib.request.urlopen(request) as response:
    print(response.status, json.load(response))
