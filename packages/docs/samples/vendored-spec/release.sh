npx changeset version
git add .
git commit -m "Release"
