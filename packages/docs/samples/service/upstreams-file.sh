farebox-service serve --upstreams upstreams.yml --no-wallets
