import { descendants } from '../../../tools/up/index.js';
import { go } from '../../clients/go-informer/informer-process.js';
import { processesOf, strike, VICTIMS } from '../adversary/adversary.js';
import { sql } from '../stage/sql.js';
import type { Stage } from '../stage/stage.js';
import { usageOf } from '../stage/usage.js';
import { rest } from '../traffic/context.js';
import { checkLeaks } from '../validators/leaks.js';
import { scaled, tortured } from './scenario.js';

const FAULT_EVERY_MS = 20_000;
/** The history of a run is kept in memory by the caches too: what grows without end grows beyond this. */
const SOAK_BYTES = 256 << 20;

type Fault = (stage: Stage) => Promise<void>;

const FAULTS: Readonly<Record<string, Fault>> = {
  kill: (stage) => {
    const victim = stage.random.pick(processesOf(stage.cluster, stage.random.pick(VICTIMS)));
    return strike(stage, victim, stage.random.between(0, 3_000));
  },
  restart: (stage) => stage.random.pick([...stage.cluster.apiServers, ...stage.cluster.gateways]).restart(),
  pause: async (stage) => {
    const { apiServers, gateways, nats } = stage.cluster;
    const victim = stage.random.pick([...apiServers, ...gateways, nats]);
    await victim.kill('SIGSTOP');
    await rest(stage.random.between(1_000, 8_000), stage.signal);
    await victim.kill('SIGCONT');
  },
  'pause-postgres': async (stage) => {
    const { pid } = stage.cluster.postgres;
    const all = [pid, ...descendants(pid)];
    for (const one of all) process.kill(one, 'SIGSTOP');
    await rest(stage.random.between(1_000, 8_000), stage.signal);
    for (const one of all) process.kill(one, 'SIGCONT');
  },
  terminate: async (stage) => {
    await sql(
      stage.postgresUrl,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'cluster-store'`,
    );
  },
  partition: async (stage) => {
    const link = stage.random.pick(stage.links.all());
    link.partition();
    await rest(stage.random.between(1_000, 10_000), stage.signal);
    link.heal();
    if (stage.random.chance(0.5)) link.reset();
  },
  'half-open': async (stage) => {
    stage.random.pick(stage.links.all()).vanish(stage.random.pick(['client', 'server']));
  },
  slow: async (stage) => {
    const link = stage.random.pick(stage.links.all());
    link.set('toClient', { delayMs: stage.random.between(20, 300) });
    await rest(stage.random.between(1_000, 8_000), stage.signal);
    link.heal();
  },
};

export const soak = tortured(
  {
    name: 'soak',
    fault: `traffic for 30 minutes, with one of these every 20 s: ${Object.keys(FAULTS).join(', ')}`,
    pass: 'V1–V8',
  },
  (settings) => ({
    seconds: scaled(settings, 1_800, 60),
    informers: go === undefined ? 0 : 2,
    cluster: { through: () => true },
    faults: async (stage) => {
      const every = scaled(settings, FAULT_EVERY_MS, 4_000);
      const before = await usageOf(stage);
      for (let i = 0; !stage.over.aborted; i++) {
        await rest(every, stage.over);
        if (stage.over.aborted) break;
        // Each once before any comes again, so that short runs have seen all of them.
        const names = Object.keys(FAULTS);
        const name = i < names.length ? (names[i] ?? 'kill') : stage.random.pick(names);
        stage.log(`fault ${i}: ${name}`);
        await FAULTS[name]?.(stage);
      }
      for (const found of checkLeaks(before, await usageOf(stage), { handles: 300, bytes: SOAK_BYTES })) {
        stage.report(found.rule, found.message);
      }
    },
  }),
);
