export FAREBOX_PRIVATE_KEY=0x$(openssl rand -hex 32)
unset FAREBOX_API_KEY
farebox top-up 10
farebox speech "Hello" -o hello.mp3
farebox parse fare-table.pdf > fares.txt
farebox balance
farebox transactions --all --json
