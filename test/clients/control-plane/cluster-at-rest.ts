import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { findEmbeddedPostgres } from '@orch/storage/embedded';
import type { ManagedProcess } from '../../../tools/up/index.js';
import { startStandalone } from '../../support/standalone.js';
import { findKubectl, Kubectl } from '../kubectl.js';
import { buildComponents, startComponents } from './components.js';
import { FIRST, NAMESPACE, WORKLOADS, widgets } from './workloads.js';
import { isExpiry, isHeartbeat, newestVersion, type Write, writesAfter } from './writes.js';

/** Observations of a cluster at rest. */
export interface Rest {
  readonly seconds: number;
  /** From the last object that was made to the first of the quiet seconds. */
  readonly secondsToSettle: number;
  /** Writes except those of leases, heartbeats of nodes, and events that expired after an hour. */
  readonly writes: readonly Write[];
  readonly heartbeats: number;
  readonly expired: number;
  /** Lines of logs that tell of errors, each behind the name of its program. */
  readonly errors: readonly string[];
}

export interface RestOptions {
  readonly seconds: number;
  /** Hears how far it is. */
  readonly log: (line: string) => void;
}

/** It has settled when nothing but leases and heartbeats was written for so long. */
const QUIET_S = 45;
const SETTLE_LIMIT_S = 600;
const STEP_MS = 5_000;

/**
 * Brings workloads to rest on a standalone server, beside the controller manager and the scheduler of the reference, with nodes that KWOK
 * pretends, and looks at what is written from then on. Throws where they do not come to rest.
 */
export async function restBesideComponents({ seconds, log }: RestOptions): Promise<Rest> {
  buildComponents();
  // What is looked at is read at the end; the hour before it and the time to settle are no longer than that.
  const server = await startStandalone({ naming: 'kubernetes', args: [`--history-retention=${seconds + 1_800}s`] });
  const components: ManagedProcess[] = [];
  try {
    components.push(...(await startComponents(server)));
    const database = await findEmbeddedPostgres(server.postgresDir);
    const kubectl = new Kubectl(findKubectl('1.27'), server.kubeconfig);
    await createAll(kubectl);
    log('everything is made');
    const { version, secondsToSettle } = await settled(database);
    log(`settled after ${secondsToSettle} s:\n${await kubectl.ok(['get', 'all', '-n', NAMESPACE])}`);
    const logs = [server.process, ...components];
    const sizes = logs.map(({ logFile }) => readFileSync(logFile).length);
    await pause(seconds * 1_000);
    const written = await writesAfter(database, version);
    return {
      seconds,
      secondsToSettle,
      writes: written.filter((write) => !isHeartbeat(write) && !isExpiry(write)),
      heartbeats: written.filter(isHeartbeat).length,
      expired: written.filter(isExpiry).length,
      errors: logs.flatMap(({ name, logFile }, at) =>
        errorsIn(name, readFileSync(logFile).subarray(sizes[at]).toString()),
      ),
    };
  } finally {
    for (const component of components.reverse()) await component.stop();
    await server.stop();
  }
}

async function createAll(kubectl: Kubectl): Promise<void> {
  const apply = (items: readonly object[]) => {
    const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
    return kubectl.ok(['apply', '-f', '-'], { input });
  };
  await apply(FIRST);
  await kubectl.ok(['wait', '--for=condition=Established', 'crd', '--all', '--timeout=30s']);
  await kubectl.ok(['wait', '--for=condition=Ready', 'node', '--all', '--timeout=60s']);
  await apply(WORKLOADS);
  const uid = await kubectl.ok(['get', 'configmap', 'texts', '-n', NAMESPACE, '-o', 'jsonpath={.metadata.uid}']);
  await apply(widgets({ name: 'texts', uid }));
}

/** Waits for the quiet time; returns the version at its end. */
async function settled(database: string): Promise<{ version: string; secondsToSettle: number }> {
  const began = performance.now();
  const elapsed = () => Math.round((performance.now() - began) / 1_000);
  let version = await newestVersion(database);
  let quietSince = 0;
  while (elapsed() - quietSince < QUIET_S) {
    if (elapsed() > SETTLE_LIMIT_S) {
      const last = (await writesAfter(database, version)).map((each) => JSON.stringify(each)).join('\n');
      throw new Error(`not at rest after ${SETTLE_LIMIT_S} s, but last:\n${last}`);
    }
    await pause(STEP_MS);
    const writes = (await writesAfter(database, version)).filter((write) => !isHeartbeat(write) && !isExpiry(write));
    if (writes.length === 0) continue;
    version = writes.at(-1)?.version ?? version;
    quietSince = elapsed();
  }
  return { version: await newestVersion(database), secondsToSettle: quietSince };
}

/** Lines that a program of Go or ours marks as errors. */
function errorsIn(name: string, log: string): string[] {
  return log
    .split('\n')
    .filter((line) => /^[EF]\d{4} |^panic:|level=ERROR/.test(line))
    .map((line) => `${name}: ${line}`);
}
