import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ManagedProcess, waitUntil } from '../../../tools/up/index.js';
import { makeControlGroup } from '../../on-cluster/place.js';
import { NodeRig } from '../../runtimes/node-rig.js';
import { ownAddress } from '../../support/node-agent.js';
import type { Measurement } from '../report.js';
import type { StageSettings } from '../settings.js';
import { median } from '../summary.js';
import { ServerProcesses } from '../usage.js';

const PODS = 50;
/** Time for which a node with its pods is left alone before it is measured, and for which it is, ms. */
const [SETTLING_MS, MEASURED_MS] = [30_000, 60_000];
const LONG_MS = 300_000;
const ROUNDS = 2;
/** Thresholds of both agents, which are looked at and never reached. */
const THRESHOLDS = { 'memory.available': '1Mi', 'nodefs.available': '0%', 'imagefs.available': '0%' };
const SCRIPT = 'trap "exit 0" TERM; sleep 1000000 & wait $!';

/**
 * What a node at rest costs with 50 pods: `orch node-agent`, and kubelet where KUBELET names its program, in turns, each with
 * the same server and the same containerd.
 */
export async function agentColumns({
  scale,
}: Omit<StageSettings, 'target'>): Promise<ReadonlyMap<string, readonly Measurement[]>> {
  const thresholds = Object.entries(THRESHOLDS).map(([signal, amount]) => `${signal}<${amount}`);
  const rig = await NodeRig.open('containerd', { args: [`--eviction-hard=${thresholds.join(',')}`] });
  makeControlGroup(rig.cgroup.slice(1));
  const sides = [new Side('orch node-agent', rig.agent)];
  const program = process.env.KUBELET;
  if (program) sides.push(new Side('peer kubelet', kubelet(rig, program)));
  try {
    for (let round = 0; round < ROUNDS; round++)
      for (const side of round % 2 === 0 ? sides : sides.toReversed())
        await side.take(rig, Math.max(2, Math.round(PODS * scale)), MEASURED_MS * Math.min(1, scale));
    return new Map(sides.map((side) => [side.name, side.results()]));
  } finally {
    for (const { agent } of sides) await agent.stop();
    // Kubelet has mounted its folder onto itself.
    if (program) execFileSync('umount', [join(rig.dir, 'kubelet')]);
    await rig.close();
  }
}

/** What was measured of a turn. */
interface Turn {
  readonly startSeconds: number;
  readonly endSeconds: number;
  readonly agentCpu: number;
  readonly runtimeCpu: number;
  readonly serverCpu: number;
  readonly requests: number;
  readonly memory: number;
}

const ROWS: readonly (readonly [keyof Turn, string, string])[] = [
  ['startSeconds', 'from their creation until all run', 's'],
  ['endSeconds', 'from their deletion until all are gone', 's'],
  ['agentCpu', 'at rest: CPU of the agent', 's/min'],
  ['runtimeCpu', 'at rest: CPU of containerd', 's/min'],
  ['serverCpu', 'at rest: CPU of the server', 's/min'],
  ['requests', 'at rest: requests', '/min'],
  ['memory', 'at rest: RSS of the agent', 'MiB'],
];

/** An agent, and what was measured of it. */
class Side {
  readonly #turns: Turn[] = [];

  constructor(
    readonly name: string,
    readonly agent: ManagedProcess,
  ) {}

  async take(rig: NodeRig, pods: number, measuredMs: number): Promise<void> {
    await this.agent.start();
    await waitUntil('the node is ready', LONG_MS, async () => (await rig.ready()).status === 'True');
    const names = Array.from({ length: pods }, (_unused, at) => `p${at}`);
    const startSeconds = await timed(async () => {
      for (const name of names)
        await rig.create(name, { containers: [rig.container('c', SCRIPT)], volumes: rig.volumes });
      await rig.allRun(pods, LONG_MS);
    });
    await pause(SETTLING_MS);
    const rest = await this.#atRest(rig, measuredMs);
    const endSeconds = await timed(async () => {
      for (const name of names) await rig.delete(name);
      await rig.noneLeft(LONG_MS);
    });
    await this.agent.stop();
    this.#turns.push({ startSeconds, endSeconds, ...rest });
  }

  async #atRest(rig: NodeRig, measuredMs: number): Promise<Omit<Turn, 'startSeconds' | 'endSeconds'>> {
    const own = new ServerProcesses(() => [this.agent.pid]);
    const runtime = new ServerProcesses(() => [rig.containerd?.daemon ?? 0]);
    const server = new ServerProcesses(() => [rig.server.process.pid]);
    const all = [own, runtime, server];
    const read = async () => ({ cpu: all.map((each) => each.cpuMicroseconds()), requests: await rig.requests() });
    const before = await read();
    await pause(measuredMs);
    const after = await read();
    const minutes = measuredMs / 60_000;
    const cpu = after.cpu.map((micros, at) => (micros - (before.cpu[at] ?? 0)) / 1e6 / minutes);
    const [agentCpu = 0, runtimeCpu = 0, serverCpu = 0] = cpu;
    const requests = (after.requests - before.requests) / minutes;
    return { agentCpu, runtimeCpu, serverCpu, requests, memory: own.residentBytes() / 2 ** 20 };
  }

  results(): Measurement[] {
    return ROWS.map(([field, name, unit]) => ({
      ...{ name: `${PODS} pods, ${name}`, unit },
      value: median(this.#turns.map((turn) => turn[field])),
    }));
  }
}

/** Makes a kubelet with the settings that the rig's agent has. */
function kubelet(rig: NodeRig, program: string): ManagedProcess {
  const dir = join(rig.dir, 'kubelet');
  const configuration = {
    ...{ apiVersion: 'kubelet.config.k8s.io/v1beta1', kind: 'KubeletConfiguration', oomScoreAdj: 0, readOnlyPort: 0 },
    authentication: { anonymous: { enabled: true }, webhook: { enabled: false } },
    authorization: { mode: 'AlwaysAllow' },
    ...{ cgroupRoot: rig.cgroup, cgroupDriver: 'cgroupfs', failSwapOn: false, makeIPTablesUtilChains: false },
    ...{ imageGCHighThresholdPercent: 100, healthzPort: 0, resolvConf: '', volumePluginDir: join(rig.dir, 'plugins') },
    evictionHard: THRESHOLDS,
  };
  const file = join(rig.dir, 'kubelet.json');
  writeFileSync(file, JSON.stringify(configuration));
  mkdirSync(dir);
  const args = [
    ...[`--config=${file}`, `--kubeconfig=${rig.server.kubeconfig}`, '--hostname-override=n1', `--root-dir=${dir}`],
    ...[`--node-ip=${ownAddress()}`, `--cert-dir=${join(dir, 'certificates')}`, '--port=10350'],
    `--container-runtime-endpoint=unix://${rig.containerd?.socket}`,
  ];
  const logFile = join(rig.dir, 'kubelet.log');
  return new ManagedProcess({ name: 'kubelet', command: program, args, logFile, ready: async () => true });
}

async function timed(work: () => Promise<void>): Promise<number> {
  const begun = performance.now();
  await work();
  return (performance.now() - begun) / 1_000;
}
