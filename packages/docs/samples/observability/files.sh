npm pack @farebox/service && tar -xzf farebox-service-*.tgz package/deploy/observability
ls package/deploy/observability # alerts.yaml  dashboard.json  prometheus.yaml
