#!/usr/bin/env bash
# Renders the chart into orch.yaml beside this file, or to standard output with -. Needs helm 3 (or HELM=path of one).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
[ "${1:-}" = - ] || exec >"$here/orch.yaml"
echo '# Generated from deploy/helm/orch by deploy/manifests/generate.sh; change the chart, not this.'
exec "${HELM:-helm}" template orch "$here/../helm/orch" --namespace orch --kube-version 1.27 --values "$here/values.yaml"
