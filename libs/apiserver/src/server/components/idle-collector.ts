import { IdleCollector } from '@orch/runtime';
import { declare } from './process.js';

/** Collects garbage while no requests arrive, so that memory is given back. */
export const idleCollector = declare({ name: 'idle-collector' }, ({ settings }) => {
  const collector = new IdleCollector({ quietMs: settings.serving.collectWhenQuiet });
  return { name: 'idle-collector', start: async () => collector.start(), stop: async () => collector.stop() };
});
