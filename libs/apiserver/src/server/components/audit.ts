import { EVENT_MIGRATIONS, EVENT_SCHEMA, openAuditLog } from '@orch/audit';
import type { Component } from '@orch/runtime';
import { Auditor } from '@orch/serving';
import type { SideSchema } from '@orch/storage';
import type { ControlPlaneProcess } from './process.js';

/** What is recorded of requests. */
export const audit = (process: ControlPlaneProcess): Component => ({
  name: 'audit',
  async start() {
    const { settings, state, telling } = process;
    const { scheme } = state.deps;
    const opened = await openAuditLog({
      options: settings.serving,
      database: () => openEvents(process),
      dropsOldEvents: settings.role.housekeeping,
      ...{ scheme, ...telling },
    });
    const { recording } = opened;
    process.provide({ audit: opened, auditor: recording && new Auditor({ ...recording, scheme }) });
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
