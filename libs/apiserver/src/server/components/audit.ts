import { EVENT_MIGRATIONS, EVENT_SCHEMA } from '@orch/audit';
import type { Component } from '@orch/runtime';
import type { SideSchema } from '@orch/storage';
import { openAudit } from '../audit.js';
import type { ControlPlaneProcess } from './process.js';

/** What is recorded of requests. */
export const audit = (process: ControlPlaneProcess): Component => ({
  name: 'audit',
  async start() {
    const { settings, state, telling } = process;
    const opened = await openAudit({
      options: settings.serving,
      database: () => openEvents(process),
      dropsOldEvents: settings.role.housekeeping,
      scheme: state.deps.scheme,
      ...telling,
    });
    process.provide({ audit: opened });
  },
  async stop(deadline) {
    await process.peek('audit')?.close(deadline);
  },
});

async function openEvents(process: ControlPlaneProcess): Promise<SideSchema> {
  const events = process.need('store').besideSchema(EVENT_SCHEMA, EVENT_MIGRATIONS);
  try {
    await events.open();
    return events;
  } catch (error) {
    await events.close();
    throw error;
  }
}
