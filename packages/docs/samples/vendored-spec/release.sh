npx changeset version
git commit -a -m "Release"
