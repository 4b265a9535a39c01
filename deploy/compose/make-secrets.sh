#!/bin/sh
# Makes the secrets of compose.yaml, each in a file of its own; those that are there already are kept.
set -eu
cd "$(dirname "$0")"
mkdir -p secrets
# Compose mounts the files as they are, and the containers run as users of their own: the folder keeps others out.
chmod 700 secrets
for name in gateway_secret valkey_password first_key admin_token grafana_password; do
  if [ -s "secrets/$name" ]; then continue; fi
  od -An -N32 -tx1 /dev/urandom | tr -d ' \n' > "secrets/$name"
  chmod 644 "secrets/$name"
done
echo "secrets/ is complete; the first caller's key is in secrets/first_key."
