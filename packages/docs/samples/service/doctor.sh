farebox-service doctor --data ./stops
