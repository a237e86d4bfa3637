import { Housekeeping } from '@orch/maintenance';
import type { Component } from '@orch/runtime';
import type { ControlPlaneProcess } from './process.js';

/** Periodic work on rows that are no objects, for the whole installation. */
export const housekeeping = (process: ControlPlaneProcess): Component => {
  let running: Housekeeping | undefined;
  return {
    name: 'housekeeping',
    async start() {
      if (!process.settings.role.housekeeping) return;
      const { deps, store } = process.state;
      const { claims, allocators } = process.need('api');
      running = new Housekeeping({
        ...{ deps, claims, allocators, store, ...process.telling },
        times: process.settings.backend,
      });
      running.start();
    },
    async stop() {
      await running?.stop();
    },
  };
};
