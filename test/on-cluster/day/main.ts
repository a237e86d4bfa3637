import { runOnStage } from '../run-on-stage.js';
import { buildDayImages } from './images.js';
import { buildMetricsServer } from './metrics-server.js';

// Within the namespaces nothing can be fetched.
buildMetricsServer();
const run = { tests: 'on-cluster/day', packages: ['busybox-static'], images: buildDayImages };
process.exitCode = runOnStage(run, process.argv.slice(2));
