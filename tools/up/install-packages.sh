#!/usr/bin/env bash
# Installs the servers that `make up` and the integration tests start: PostgreSQL, NATS, nginx, HAProxy, Redis.
# After --only, nothing but the packages that are named. Does nothing when they are there; needs root and apt-get when they are not. Nothing is started.
set -euo pipefail

missing=()
has() { command -v "$1" >/dev/null 2>&1 || [ -x "/usr/sbin/$1" ]; }
if [ "${1:-}" = --only ]; then
  shift
else
  compgen -G '/usr/lib/postgresql/*/bin/postgres' >/dev/null || has postgres || missing+=(postgresql)
  has nats-server || missing+=(nats-server)
  has nginx || missing+=(nginx-light)
  has haproxy || missing+=(haproxy)
  has redis-server || missing+=(redis-server)
  has openssl || missing+=(openssl)
fi
# Further packages by name: what one suite alone needs.
for package in "$@"; do has "$package" || dpkg -s "$package" >/dev/null 2>&1 || missing+=("$package"); done
[ ${#missing[@]} -gt 0 ] || exit 0

if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
  echo "missing: ${missing[*]}; install them, or run this as root on Debian or Ubuntu" >&2
  exit 1
fi

# Packages of servers start them on their default ports; ours run on ports of their own.
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
  printf '#!/bin/sh\nexit 101\n' >"$policy"
  chmod +x "$policy"
  trap 'rm -f "$policy"' EXIT
fi
export DEBIAN_FRONTEND=noninteractive
install() { apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null; }
install 2>/dev/null || { apt-get update -qq && install; }
