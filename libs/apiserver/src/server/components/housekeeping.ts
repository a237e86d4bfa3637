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
      const { eventTtl } = process.settings.backend;
      running = new Housekeeping({ deps, store, eventTtl, logger: process.logger });
      running.start();
    },
    async stop() {
      await running?.stop();
    },
  };
};
