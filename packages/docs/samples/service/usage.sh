farebox-service usage --from 2027-01-01 --to 2027-01-31 --by day,wallet,model --format parquet -o january.parquet
