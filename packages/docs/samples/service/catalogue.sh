farebox-service catalogue > catalogue.json
farebox-service catalogue --catalogue catalogue.json # checks the file, and prints what it makes
