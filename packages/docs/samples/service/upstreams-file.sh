farebox-service serve --upstreams upstreams.yml
