const KINDS = ['proto', 'libs/kinds', 'libs/codec', 'libs/machinery', 'libs/resources', 'libs/discovery'];
const STORE = ['libs/storage', 'libs/reading', 'libs/writing'];
const WATCHES = [
  'libs/feed',
  'libs/watchcache',
  'libs/serving/src/watching',
  'libs/serving/src/proxying',
  'services/watch-gateway',
];
const REQUESTS = ['libs/serving/src/chain', 'libs/serving/src/sockets', 'libs/fairness', 'libs/flowcontrol'];
const PROCESSES = ['libs/apiserver/src/server', 'libs/apiserver/src/workers', 'libs/runtime', 'services', 'tools/up'];
const TRUST = ['libs/tls', 'libs/authentication', 'libs/authorization', 'libs/credentials', 'libs/access'];
const CUSTOM = ['libs/custom-resources', 'libs/schema', 'libs/expressions', 'libs/webhooks', 'libs/admission-host'];
const BALANCERS = ['deploy/nginx', 'deploy/haproxy', 'deploy/helm/orch/files'];
const CHART = ['deploy/helm', 'deploy/manifests', ...BALANCERS];
const PACKAGE = ['tools/package.mjs', 'deploy/container', 'deploy/systemd', 'services'];
const PAGES = ['docs', 'README.md', 'services/orchctl', 'deploy'];
const ALERTS = ['deploy/prometheus', 'deploy/grafana', 'libs/apiserver/src/metrics', 'libs/serving/src/metrics'];

/**
 * Files of tests that take long and are about some rooms alone, by their paths from `test/`, with the files and folders that each is about,
 * by their paths from the root. A run on a change tries those whose rooms have changed since everything was last tried; whatever such a
 * test imports from `test/` and `tools/` counts as its room too. Files that are not in this table are tried on every change.
 */
export const PERIODIC_SUITES: Readonly<Record<string, readonly string[]>> = {
  'faults/definition-rows.test.ts': [...CUSTOM, 'libs/resources'],
  'faults/delivery-rows.test.ts': [...WATCHES, ...STORE],
  'faults/embedded-rows.test.ts': ['libs/storage', 'services/standalone'],
  'faults/gateway-rows.test.ts': [...WATCHES, ...REQUESTS, ...PROCESSES],
  'faults/quota-rows.test.ts': ['libs/quota', 'libs/writing', 'libs/maintenance/src/quotas', 'libs/admission'],
  'faults/reading-rows.test.ts': [...STORE, 'libs/watchcache'],
  'faults/stalled-rows.test.ts': [...WATCHES, ...REQUESTS],
  'faults/storage-rows.test.ts': [...STORE, 'libs/feed'],
  'faults/trust-rows.test.ts': [...TRUST, ...REQUESTS],

  'scale-out/rolling-restart.test.ts': [...PROCESSES, ...REQUESTS, ...WATCHES, ...BALANCERS],
  'scale-out/third-gateway.test.ts': [...WATCHES, ...PROCESSES, ...BALANCERS],
  'scale-out/upgrade.test.ts': [...STORE, ...WATCHES, ...PROCESSES],

  'fuzz/heavy.test.ts': [...CUSTOM, 'libs/merge', 'libs/resources', 'libs/runtime'],
  'storage-scale/bulk-delete.test.ts': [...STORE, 'libs/handlers'],
  'storage-scale/list-memory.test.ts': STORE,

  'deploy/apply.test.ts': CHART,
  'deploy/backup-postgres.test.ts': ['libs/storage', 'libs/feed', 'services/orchctl'],
  'deploy/backup-standalone.test.ts': ['libs/storage', 'libs/feed', 'services'],
  'deploy/chart-upgrade.test.ts': CHART,
  'deploy/container.test.ts': PACKAGE,
  'deploy/credential-expiry.test.ts': [...TRUST, ...WATCHES],
  'deploy/data-folder.test.ts': ['libs/storage/src/embedded', 'services/standalone'],
  'deploy/documented-commands.test.ts': PAGES,
  'deploy/ipv6.test.ts': [...CHART, ...PROCESSES, 'libs/serving/src/sockets'],
  'deploy/join.test.ts': [...TRUST, 'libs/maintenance/src/bootstrap-tokens', 'services/orchctl'],
  'deploy/load-balancer.test.ts': [...BALANCERS, ...REQUESTS],
  'deploy/operator-walk.test.ts': PAGES,
  'deploy/package.test.ts': PACKAGE,
  'deploy/page-examples.test.ts': PAGES,
  'deploy/pods.test.ts': CHART,
  'deploy/rotation/rotation.test.ts': [...TRUST, ...CHART, 'libs/storage/src/connections', 'libs/feed'],
  'deploy/systemd-install.test.ts': PACKAGE,
  'deploy/systemd-sigterm.test.ts': [...PACKAGE, 'libs/apiserver/src/server'],

  'scheduler/decisions.test.ts': ['libs/scheduler', 'libs/machinery'],

  'sight/faults.test.ts': [...ALERTS, ...STORE, 'libs/feed', 'libs/watchcache'],
  'sight/machines.test.ts': [...ALERTS, 'libs/runtime'],

  'cluster/custom-barrier.test.ts': CUSTOM,
  'cluster/custom-restart.test.ts': [...CUSTOM, 'libs/writing'],
  'cluster/embedded-postgres.test.ts': ['libs/storage/src/embedded', 'services/standalone'],
  'cluster/encryption.test.ts': ['libs/encryption', 'libs/storage/src/sealing'],
  'cluster/idle-logs.test.ts': [
    'libs/connections',
    'libs/runtime',
    'libs/serving/src/proxying',
    'libs/serving/src/http',
  ],
  'cluster/least-rights.test.ts': ['libs/storage', 'libs/feed'],
  'cluster/migration-faults.test.ts': ['libs/storage'],
  'cluster/transports.test.ts': [...REQUESTS, ...PROCESSES, ...BALANCERS],

  'clients/controller-runtime/controller-runtime.test.ts': [...KINDS, ...WATCHES, ...CUSTOM],
  'clients/controller-runtime/gadgets.test.ts': [...KINDS, ...WATCHES, ...CUSTOM],
  'clients/gateway-api/gateway-api.test.ts': CUSTOM,
  'clients/go-informer.test.ts': WATCHES,
  'clients/javascript/javascript.test.ts': [...KINDS, 'libs/connections', 'libs/serving/src/http'],
  'clients/kubectl-certificates.test.ts': ['libs/maintenance/src/certificates', 'libs/credentials', 'libs/kinds'],
  'clients/kubectl-create.test.ts': [...KINDS, 'libs/admission', 'libs/handlers'],
  'clients/kubectl-explain.test.ts': [...KINDS, ...CUSTOM],
  'clients/kubectl-rollout.test.ts': [...KINDS, 'libs/merge'],
  'clients/kubectl-subresources.test.ts': [...KINDS, 'libs/handlers'],
  'clients/python/python.test.ts': [...KINDS, ...WATCHES, 'libs/handlers', 'libs/serving/src/http'],
  'clients/tutorials/tutorials.test.ts': ['docs/tutorials', 'libs/controllers', 'libs/client'],
};

/** Files that everything stands on: a change of one of them, or of what lies below a folder, has every test tried. */
export const BELOW_EVERYTHING: readonly string[] = [
  '.ci/run',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'tools/bundle.mjs',
  'test/vitest.config.ts',
  'test/run.ts',
  'test/global-setup.ts',
  'test/selection',
];

/** The same for unit tests. */
export const BELOW_UNITS: readonly string[] = [
  ...['.ci/run', 'package.json', 'package-lock.json', 'tsconfig.json', 'vitest.config.ts'],
  ...['proto', 'tools/up', 'test/global-setup.ts', 'test/selection', 'test/unit.ts'],
];
