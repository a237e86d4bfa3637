import { EVENT_MIGRATIONS, EVENT_SCHEMA, openAuditLog } from '@orch/audit';
import { Auditor } from '@orch/serving';
import type { SideSchema } from '@orch/storage';
import { declare, type Host, stateOf, tellingOf } from './process.js';

/** Audit log of requests. */
export const audit = declare(
  { name: 'audit', needs: ['api', 'store', 'changes', 'observation'], makes: ['audit', 'auditor'] },
  (process) => ({
    async start() {
      const { settings } = process;
      const [state, telling] = [stateOf(process), tellingOf(process)];
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
  }),
);

async function openEvents(process: Host<'store'>): Promise<SideSchema> {
  const events = process.need('store').besideSchema(EVENT_SCHEMA, EVENT_MIGRATIONS);
  try {
    await events.open();
    return events;
  } catch (error) {
    await events.close();
    throw error;
  }
}
