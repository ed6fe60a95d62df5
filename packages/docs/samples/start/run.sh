npm start --silent --prefix examples/first-paid-call
