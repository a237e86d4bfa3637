import { appendFileSync, readFileSync } from 'node:fs';
import { NodeAgent, readAgentOptions } from '@orch/agent';
import { Client, readKubeconfig } from '@orch/client';
import { CriRuntime, ProcessRuntime, type Runtime } from '@orch/container-runtime';
import { namesOf } from '@orch/machinery';
import { systemMounter } from '@orch/pod-environment';
import { createLogger, systemClock } from '@orch/runtime';

/** A node agent as a process that kills itself at a step: settings are its only argument, as JSON. */
export interface KillPoint {
  /** Options of the agent. */
  readonly args: readonly string[];
  /** Path of the connection to the API. */
  readonly kubeconfig: string;
  /** Socket of containerd; absent for processes. */
  readonly socket?: string;
  /** File to which each step is appended before it is taken. */
  readonly steps: string;
  /** Number of the step at which it ends. */
  readonly at: number;
  /** Whether the step is over by then, or has just begun. */
  readonly when: 'begun' | 'done';
  /** Time between the begin of the step and the kill, ms. */
  readonly delayMs: number;
}

/** Methods that change something in the runtime, and in the API. */
const STEPS = new Set([
  ...['runSandbox', 'stopSandbox', 'removeSandbox', 'createContainer', 'startContainer', 'stopContainer'],
  ...['removeContainer', 'patch', 'delete'],
]);

const point: KillPoint = JSON.parse(process.argv[2] ?? '{}');
let taken = 0;

const die = () => process.kill(process.pid, 'SIGKILL');

/** Takes a step, at which the process may end. */
async function step(name: string, work: () => Promise<unknown>): Promise<unknown> {
  taken++;
  appendFileSync(point.steps, `${name}\n`);
  if (taken !== point.at) return work();
  if (point.when === 'begun') setTimeout(die, point.delayMs);
  const result = await work();
  die();
  return result;
}

/** Counts the steps that something takes. */
const counted = <T extends object>(target: T): T =>
  new Proxy(target, {
    get(from, name) {
      const member = Reflect.get(from, name, from);
      if (typeof member !== 'function') return member;
      if (!STEPS.has(String(name))) return member.bind(from);
      return (...args: unknown[]) => step(String(name), () => member.apply(from, args));
    },
  });

const { values: options } = readAgentOptions(point.args, {}, (path) => readFileSync(path, 'utf8'));
const connection = await readKubeconfig(point.kubeconfig);
const client = () => new Client(connection, { names: namesOf('kubernetes'), qps: -1 });
const runtime: Runtime =
  point.socket === undefined
    ? await ProcessRuntime.open({ folder: `${options.rootDir}/processes`, images: options.processImages ?? '' })
    : new CriRuntime({ socket: point.socket });
await NodeAgent.start({
  ...{ options, runtime: counted(runtime), mounter: systemMounter, clock: systemClock },
  clients: { pods: counted(client()), heartbeats: client(), events: client() },
  logger: createLogger({ format: 'text', verbosity: 2 }),
});
