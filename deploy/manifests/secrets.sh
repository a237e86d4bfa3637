#!/usr/bin/env bash
# Prints the Namespace and the Secrets that orch.yaml names: what servers and the load balancer show and are believed by.
#
#   ./secrets.sh KEYS 'postgres://user:password@host:5432/database?sslmode=verify-full' [host or address of clients]… | kubectl apply -f -
#
# KEYS is a folder for the installation's authorities and an administrator's kubeconfig (KEYS/admin.kubeconfig), made when
# it is not there. Keep it in a safe place: what lies in it goes into no Secret. Run again with it, the script makes new
# certificates of the same authorities, which are taken without a restart.
# With - for the URL it is read from standard input, so that its password is on no command line.
#
# Needs openssl 3.
set -euo pipefail
[ $# -ge 2 ] || { sed -n '2,11s/^# \{0,1\}//p' "$0" >&2; exit 2; }
umask 077
mkdir -p "$1"
keys=$(cd "$1" && pwd)
url=$2
[ "$url" != - ] || IFS= read -r url || true # the last line may lack its end
[ -n "$url" ] || { echo "no URL of PostgreSQL: the Secret with the one that is there would be replaced" >&2; exit 2; }
shift 2
namespace=orch
service=orch-load-balancer
public=${1:-$service.$namespace.svc}
[[ $public != *:* ]] || public="[$public]"
days=730
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

key() { openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$1.key" 2>/dev/null; }

authority() {
  if [ ! -e "$keys/$1.crt" ]; then
    key "$keys/$1"
    openssl req -x509 -new -key "$keys/$1.key" -sha256 -days 3650 -subj "/CN=$1" -out "$keys/$1.crt" \
      -addext basicConstraints=critical,CA:true -addext keyUsage=critical,keyCertSign,cRLSign,digitalSignature
  fi
  cp "$keys/$1.crt" .
}

# RSA in PKCS #1, which every client reads; OpenSSL 3 writes that only when asked, OpenSSL 1.1 always.
client_key() { openssl genrsa -traditional -out "$1.key" 2048 2>/dev/null || openssl genrsa -out "$1.key" 2048 2>/dev/null; }

# leaf NAME AUTHORITY SUBJECT USAGE [SUBJECT-ALTERNATIVE-NAMES]
leaf() {
  [ -e "$1.key" ] || key "$1"
  {
    echo 'basicConstraints=critical,CA:false'
    echo 'keyUsage=critical,digitalSignature'
    echo "extendedKeyUsage=$4"
    [ -z "${5:-}" ] || echo "subjectAltName=$5"
  } >"$1.ext"
  openssl req -new -key "$1.key" -subj "$3" |
    openssl x509 -req -CA "$keys/$2.crt" -CAkey "$keys/$2.key" -sha256 -days "$days" -extfile "$1.ext" -out "$1.crt" 2>/dev/null
}

names="DNS:localhost,IP:127.0.0.1,IP:::1"
for name in "$service" orch-api-server orch-watch-gateway; do
  for suffix in "" ".$namespace" ".$namespace.svc" ".$namespace.svc.cluster.local"; do names+=",DNS:$name$suffix"; done
done
for host in "$@"; do
  case $host in
    *:* | [0-9]*.[0-9]*.[0-9]*.[0-9]*) names+=",IP:$host" ;;
    *) names+=",DNS:$host" ;;
  esac
done

base64_of() { base64 <"$1" | tr -d '\n'; }

# secret NAME KEY=FILE…
secret() {
  printf -- '---\napiVersion: v1\nkind: Secret\nmetadata:\n  name: %s\n  namespace: %s\ntype: Opaque\ndata:\n' "$1" "$namespace"
  shift
  for entry in "$@"; do printf '  %s: %s\n' "${entry%%=*}" "$(base64_of "${entry#*=}")"; done
}

authority ca
authority front-proxy-ca
leaf servers ca /CN=orch-servers serverAuth "$names"
leaf balancer ca "/CN=$service" serverAuth "$names"
leaf front-proxy front-proxy-ca /CN=front-proxy-client clientAuth
leaf aggregator front-proxy-ca /CN=aggregator-client clientAuth
leaf gateway-client front-proxy-ca /CN=gateway-client clientAuth
leaf kubelet-client ca /CN=apiserver-kubelet-client clientAuth
client_key admin
leaf admin ca /O=system:masters/CN=admin clientAuth

cat >"$keys/admin.kubeconfig" <<END
apiVersion: v1
kind: Config
clusters:
  - { name: orch, cluster: { server: "https://$public", certificate-authority-data: $(base64_of ca.crt) } }
users:
  - { name: admin, user: { client-certificate-data: $(base64_of admin.crt), client-key-data: $(base64_of admin.key) } }
contexts:
  - { name: orch, context: { cluster: orch, user: admin } }
current-context: orch
END

printf '%s' "$url" >url
printf 'apiVersion: v1\nkind: Namespace\nmetadata:\n  name: %s\n  labels:\n    pod-security.kubernetes.io/enforce: restricted\n' "$namespace"
secret orch-postgres url=url
secret orch-servers ca.crt=ca.crt tls.crt=servers.crt tls.key=servers.key front-proxy-ca.crt=front-proxy-ca.crt \
  aggregator.crt=aggregator.crt aggregator.key=aggregator.key \
  gateway-client.crt=gateway-client.crt gateway-client.key=gateway-client.key
secret orch-load-balancer ca.crt=ca.crt tls.crt=balancer.crt tls.key=balancer.key \
  front-proxy.crt=front-proxy.crt front-proxy.key=front-proxy.key
secret orch-kubelet-client tls.crt=kubelet-client.crt tls.key=kubelet-client.key
