/**
 * Writes `docs/reference.md` from the tables of options, features, group versions and metrics. With `--check` it writes nothing and fails if
 * what is there differs.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { definitions as apiServer } from '@orch/api-server';
import { definitions as standalone } from '@orch/standalone';
import { definitions as watchGateway } from '@orch/watch-gateway';
import { featureTable } from './features.js';
import { metricTable } from './metrics.js';
import { optionTable } from './options.js';
import { versionTable } from './versions.js';

const PAGE = fileURLToPath(new URL('../../docs/reference.md', import.meta.url));

const page = `# Reference

Every option, feature, group version and metric of this release. \`make generate\` writes this page from the tables that the servers
themselves go by: change those, not this.

## Options

Of \`orch standalone\`, \`orch api-server\` and \`orch watch-gateway\`; where nothing else is said, of all three. Each \`--some-option\` may
also be given as the environment variable \`ORCH_SOME_OPTION\`, secrets above all; what stands on the command line wins. A number of bytes
takes a suffix (\`64Mi\`), a duration its units (\`1m30s\`). What they are for is told in [operations.md](operations.md).

${optionTable({ standalone, 'api-server': apiServer, 'watch-gateway': watchGateway })}

## Features

Turned on and off with \`--feature-gates=Name=true,Other=false\`, the same on every server. \`AllAlpha\` and \`AllBeta\` set every feature of a stage that is
not named itself. An unknown name is refused; what is \`ga\` can no longer be turned off, and naming it is warned of.

${featureTable()}

Without a feature its fields are taken out of what is sent, as if they were not there; what is stored with them keeps them.

## Group versions

Turned on and off with \`--runtime-config\`: \`api/all\`, \`api/ga\`, \`api/beta\` and \`api/alpha\` first, then \`<group>/<version>\` (\`v1\` is the group
without a name), then single resources as \`<group>/<version>/<resource>\`, each with \`=true\` or \`=false\`. Unknown groups and versions are refused. To see how
clients fare without a version, turn it off: its objects stay, and are served in the others. Names are those of \`--naming=kubernetes\`.

${versionTable()}

A request to a version that is deprecated is answered with a \`Warning\`, and shows in the gauge \`apiserver_requested_deprecated_apis\`.

## Metrics

Of \`GET /metrics\`, and \`kubernetes_healthcheck*\` of \`GET /metrics/slis\`; what to make of them is told in [monitoring.md](monitoring.md). \`orch_service_claim_*\` is
of \`orch standalone\` and \`orch api-server\`, all others are of every process. Those of the runtime (\`nodejs_*\`, \`process_*\`, as on Linux) say nothing of their
stability. With \`--workers\` every series has the label \`worker\` too. What is deprecated is hidden a minor release later, and shows then only with
\`--show-hidden-metrics-for-version\`.

${await metricTable()}
`;

if (!process.argv.includes('--check')) writeFileSync(PAGE, page);
else if (readFileSync(PAGE, 'utf8') !== page) {
  console.error('stale, run `make generate`: docs/reference.md');
  process.exitCode = 1;
}
