export FAREBOX_DATABASE_URL=postgres://farebox:secret@db.internal:5432/farebox
export FAREBOX_ADMIN_KEY=the-same-for-all FAREBOX_ORIGIN=https://api.example.com FAREBOX_NO_WALLETS=1
farebox-service --port 4020 &
farebox-service --port 4021 &
wait
