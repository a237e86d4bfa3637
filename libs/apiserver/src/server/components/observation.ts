import { FEATURES } from '@orch/schema';
import { RequestMetrics } from '@orch/serving';
import { featureMetric } from '../../metrics/feature-metric.js';
import { Observation } from '../../metrics/observation.js';
import { VERSION } from '../version.js';
import { declare } from './process.js';

/** Metrics and traces. */
export const observation = declare({ name: 'observation', makes: ['observation', 'requestMetrics'] }, (process) => ({
  async start() {
    const { role, serving } = process.settings;
    const opened = await Observation.open({
      serviceName: `orch-${role.name}`,
      version: VERSION,
      tracingConfigFile: serving.tracingConfigFile,
      showHiddenMetrics: serving.showHiddenMetricsForVersion !== '',
      logger: process.logger,
    });
    process.loggedErrors.observe(opened.metrics);
    featureMetric(opened.metrics, FEATURES, process.features);
    process.provide({ observation: opened, requestMetrics: new RequestMetrics(opened.metrics) });
  },
  async stop() {
    await process.peek('observation')?.close();
  },
}));
