farebox-service find 0x857b --operator-url http://127.0.0.1:4021
farebox-service refund led_7f3a --usd 0.25 --reason 'half of the audio was missing'
farebox-service credit --account tram --usd 5 --reason 'goodwill'
farebox-service debit --account tram --usd 5 --reason 'a chargeback'
farebox-service freeze --account tram --reason 'a stolen card'
farebox-service unfreeze --account tram --reason 'it was his own'
