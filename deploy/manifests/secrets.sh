#!/usr/bin/env bash
# Prints the Namespace and the Secrets that orch.yaml names: the installation's authorities, and what the load balancer
# shows and is believed by. Run it once and keep what it prints in a safe place; a second run is another installation.
#
#   ./secrets.sh 'postgres://user:password@host:5432/database?sslmode=verify-full' [host or address of clients]… | kubectl apply -f -
#
# Needs openssl 3.
set -euo pipefail
[ $# -ge 1 ] || { sed -n '2,7s/^# \{0,1\}//p' "$0" >&2; exit 2; }
url=$1
shift
namespace=orch
service=orch-load-balancer
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
umask 077

key() { openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$1.key" 2>/dev/null; }

authority() {
  key "$1"
  openssl req -x509 -new -key "$1.key" -sha256 -days 3650 -subj "/CN=$1" -out "$1.crt" \
    -addext basicConstraints=critical,CA:true -addext keyUsage=critical,keyCertSign,cRLSign,digitalSignature
}

# leaf NAME AUTHORITY COMMON-NAME USAGE [SUBJECT-ALTERNATIVE-NAMES]
leaf() {
  key "$1"
  {
    echo 'basicConstraints=critical,CA:false'
    echo 'keyUsage=critical,digitalSignature'
    echo "extendedKeyUsage=$4"
    [ -z "${5:-}" ] || echo "subjectAltName=$5"
  } >"$1.ext"
  openssl req -new -key "$1.key" -subj "/CN=$3" |
    openssl x509 -req -CA "$2.crt" -CAkey "$2.key" -sha256 -days 730 -extfile "$1.ext" -out "$1.crt" 2>/dev/null
}

names="DNS:localhost,IP:127.0.0.1,DNS:$service,DNS:$service.$namespace,DNS:$service.$namespace.svc"
names+=",DNS:$service.$namespace.svc.cluster.local"
for host in "$@"; do
  case $host in
    *:* | [0-9]*.[0-9]*.[0-9]*.[0-9]*) names+=",IP:$host" ;;
    *) names+=",DNS:$host" ;;
  esac
done

authority ca
authority front-proxy-ca
leaf tls ca "$service" serverAuth "$names"
leaf front-proxy front-proxy-ca front-proxy-client clientAuth

# secret NAME FILE…
secret() {
  printf -- '---\napiVersion: v1\nkind: Secret\nmetadata:\n  name: %s\n  namespace: %s\ntype: Opaque\ndata:\n' "$1" "$namespace"
  shift
  for file in "$@"; do printf '  %s: %s\n' "$file" "$(base64 <"$file" | tr -d '\n')"; done
}

printf '%s' "$url" >url
printf 'apiVersion: v1\nkind: Namespace\nmetadata:\n  name: %s\n  labels:\n    pod-security.kubernetes.io/enforce: restricted\n' "$namespace"
secret orch-postgres url
secret orch-pki ca.crt ca.key front-proxy-ca.crt front-proxy-ca.key
secret orch-load-balancer ca.crt tls.crt tls.key front-proxy.crt front-proxy.key
