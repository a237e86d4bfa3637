import { AggregatedApis } from '@orch/aggregation';
import type { Component } from '@orch/runtime';
import type { ControlPlaneProcess } from './process.js';

/** What other servers serve. */
export const aggregatedApis = (process: ControlPlaneProcess): Component => ({
  name: 'aggregated-apis',
  async start() {
    const { settings, state, telling } = process;
    const aggregated = new AggregatedApis({
      ...{ ...state, ...telling },
      serving: settings.serving,
      credentials: process.need('credentials'),
      isPartial: () => process.need('customResources').isPartial,
      decides: settings.role.housekeeping,
    });
    process.provide({ aggregated });
    process.need('observation').certificateEnds.look(() => aggregated.trusted);
    await aggregated.start();
  },
  async stop() {
    await process.peek('aggregated')?.stop();
  },
});
