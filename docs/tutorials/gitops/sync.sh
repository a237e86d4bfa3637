#!/bin/sh
# Applies the manifests of a Git repository whenever its branch has a new commit, and again after some seconds to revert what was changed by
# hand; deletes what is no longer in the repository.
# Usage: sync.sh REPOSITORY NAMESPACE [SECONDS]
set -eu
repository=$1 namespace=$2 seconds=${3:-60}
clone=$(mktemp -d)
git clone --quiet "$repository" "$clone"
applied='' due=0
while true; do
  git -C "$clone" pull --quiet --ff-only
  commit=$(git -C "$clone" rev-parse HEAD)
  now=$(date +%s)
  if [ "$commit" != "$applied" ] || [ "$now" -ge "$due" ]; then
    KUBECTL_APPLYSET=true kubectl apply --server-side --force-conflicts --field-manager=gitops --namespace="$namespace" \
      --prune --applyset=gitops --filename="$clone/manifests"
    applied=$commit due=$((now + seconds))
  fi
  sleep 1
done
