farebox verify
