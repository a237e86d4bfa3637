import { IdleCollector } from '@orch/runtime';
import { declare } from './process.js';

/** Memory that is no longer needed is given back while nobody asks for anything. */
export const idleCollector = declare({ name: 'idle-collector' }, ({ settings }) => {
  const collector = new IdleCollector({ quietMs: settings.serving.collectWhenQuiet });
  return { name: 'idle-collector', start: async () => collector.start(), stop: async () => collector.stop() };
});
