export FAREBOX_BASE_URL=http://127.0.0.1:4020/api/v1
export FAREBOX_API_KEY=$(cat admin.key)
