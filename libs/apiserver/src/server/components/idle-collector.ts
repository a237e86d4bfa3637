import { type Component, IdleCollector } from '@orch/runtime';
import type { ControlPlaneProcess } from './process.js';

/** Memory that is no longer needed is given back while nobody asks for anything. */
export function idleCollector({ settings }: ControlPlaneProcess): Component {
  const collector = new IdleCollector({ quietMs: settings.serving.collectWhenQuiet });
  return { name: 'idle-collector', start: async () => collector.start(), stop: async () => collector.stop() };
}
