import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeKubeconfig } from '@orch/client';
import { ManagedProcess } from '../../../tools/up/index.js';
import { startScheduler } from '../../support/orch-scheduler.js';
import { makeServerFolder } from '../../support/run-folder.js';
import type { BenchServer, OwnBenchServer } from './servers.js';

/** A running scheduler. */
export interface RunningScheduler {
  /** Its process. */
  readonly pid: number;
  /** Whether that is the process of the server. */
  readonly isInServer: boolean;
  /** Ends it. */
  stop(): Promise<void>;
}

/** Requests per second that kube-scheduler may make, and at once: more than it does. */
const UNLIMITED = { qps: 5_000, burst: 5_000 };

/** Without a Lease: kube-scheduler ends itself where it cannot renew it in time, as on a crowded machine. */
const ALONE = { leaderElection: { leaderElect: false } };

/** Starts `orch scheduler`. */
export async function startOurs({ standalone }: OwnBenchServer): Promise<RunningScheduler> {
  const running = await startScheduler(standalone, { configuration: ALONE });
  return { pid: running.process.pid, isInServer: false, stop: () => running.stop() };
}

/** The scheduler inside a server that was started with it. */
export async function insideServer({ standalone }: OwnBenchServer): Promise<RunningScheduler> {
  return { pid: standalone.process.pid, isInServer: true, stop: async () => undefined };
}

/** Starts kube-scheduler with a rate that does not limit it. */
export async function startPeer({ connection }: BenchServer, program: string): Promise<RunningScheduler> {
  const dir = makeServerFolder('kube-scheduler-');
  const [kubeconfig, config] = [join(dir, 'kubeconfig'), join(dir, 'config.json')];
  await writeKubeconfig(kubeconfig, connection);
  const document = {
    ...{ apiVersion: 'kubescheduler.config.k8s.io/v1', kind: 'KubeSchedulerConfiguration' },
    clientConnection: { kubeconfig, ...UNLIMITED },
    ...ALONE,
  };
  writeFileSync(config, JSON.stringify(document));
  const own = [`--config=${config}`, `--authentication-kubeconfig=${kubeconfig}`];
  const running = new ManagedProcess({
    ...{ name: 'kube-scheduler', command: program, cwd: dir, logFile: join(dir, 'log') },
    args: [...own, `--authorization-kubeconfig=${kubeconfig}`, '--secure-port=0'],
    ready: async () => true,
  });
  await running.start();
  return {
    pid: running.pid,
    isInServer: false,
    async stop() {
      await running.stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
