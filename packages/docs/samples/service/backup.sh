farebox-service credit --data ./stops --account tram --usd 25
farebox-service backup --data ./stops monday.farebox
farebox-service restore --data ./elsewhere monday.farebox
