farebox-service usage --from 2027-01-01 --to 2027-01-31 --by day,wallet,model --format csv -o january.csv
