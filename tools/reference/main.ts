/**
 * Writes `docs/reference.md` from the tables of options, features, group versions and metrics. With `--check` it writes
 * nothing and fails if what is there differs.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { definitions as apiServer } from '@orch/api-server';
import { definitions as nodeAgent } from '@orch/node-agent';
import { definitions as scheduler } from '@orch/scheduler-service';
import { definitions as standalone } from '@orch/standalone';
import { definitions as watchGateway } from '@orch/watch-gateway';
import { featureTable } from './features.js';
import { metricTable, schedulerMetricTable } from './metrics.js';
import { optionTable } from './options.js';
import { versionTable } from './versions.js';

const PAGE = fileURLToPath(new URL('../../docs/reference.md', import.meta.url));

const page = `# Reference

This page lists every option, feature, group version and metric of this release. \`make generate\` writes it from the tables that the servers
themselves use: change those, not this page.

## Options

These are the options of \`orch standalone\`, \`orch api-server\` and \`orch watch-gateway\`; unless a row says otherwise, all three have them. Each
\`--some-option\` may also be given as the environment variable \`ORCH_SOME_OPTION\`, which suits secrets; the command line wins. A number of bytes may have
a suffix (\`64Mi\`), a duration has units (\`1m30s\`). [operations.md](operations.md) explains what they are for.

${optionTable({ standalone, 'api-server': apiServer, 'watch-gateway': watchGateway })}

### Options of orch scheduler

[scheduler.md](scheduler.md) explains them.

${optionTable({ scheduler })}

### Options of orch node-agent

[node-agent.md](node-agent.md) explains them.

${optionTable({ 'node-agent': nodeAgent })}

## Features

\`--feature-gates=Name=true,Other=false\` turns features on and off; use the same value on every server. \`AllAlpha\` and \`AllBeta\` set every feature of a
stage that is not named itself. An unknown name is refused. A feature that is \`ga\` can no longer be turned off, and naming it causes a warning.

${featureTable()}

Without a feature its fields are removed from requests, as if they were not there; stored objects keep them.

## Group versions

\`--runtime-config\` turns group versions on and off: \`api/all\`, \`api/ga\`, \`api/beta\` and \`api/alpha\` first, then \`<group>/<version>\` (\`v1\` is the group
without a name), then single resources as \`<group>/<version>/<resource>\`, each with \`=true\` or \`=false\`. Unknown groups and versions are refused. To test how
clients work without a version, turn it off: its objects stay, and are served in the others. Names are those of \`--naming=kubernetes\`.

${versionTable()}

A request to a deprecated version is answered with a \`Warning\`, and is visible in the gauge \`apiserver_requested_deprecated_apis\`.

## Metrics

These are the metrics of \`GET /metrics\`; \`kubernetes_healthcheck*\` are those of \`GET /metrics/slis\`. [monitoring.md](monitoring.md) explains how to use them.
\`orch standalone\` and \`orch api-server\` have \`orch_service_claim_*\`; every process has all others. Metrics of the runtime (\`nodejs_*\`, \`process_*\`, as on
Linux) have no stability level. With \`--workers\` every series has the label \`worker\` too. A deprecated metric is hidden a minor release later, and then shown only with
\`--show-hidden-metrics-for-version\`.

${await metricTable()}

### Metrics of orch scheduler

\`GET /metrics\` of its port has these, and those of the runtime; \`kube_pod_resource_*\` are those of \`GET /metrics/resources\`.

${schedulerMetricTable()}
`;

if (!process.argv.includes('--check')) writeFileSync(PAGE, page);
else if (readFileSync(PAGE, 'utf8') !== page) {
  console.error('stale, run `make generate`: docs/reference.md');
  process.exitCode = 1;
}
