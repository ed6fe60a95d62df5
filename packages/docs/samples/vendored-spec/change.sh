npm run update
npm run regenerate
npm run check
git add .
git commit -m "Follow the contract"
