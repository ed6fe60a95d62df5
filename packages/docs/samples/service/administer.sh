# farebox-service is the command of @farebox/service; in a clone: npx --yes pnpm@12.21.0 serve
farebox-service credit --data ./books --account tram --usd 25
farebox-service keys create --data ./books --account tram --type INFERENCE --description 'Ticket machine' > tram.key
farebox-service keys list --data ./books --account tram
farebox-service audit --data ./books
