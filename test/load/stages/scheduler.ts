import { format, type Measurement } from '../report.js';
import { MIXED, PLAIN, type PodKind, PREEMPTING, ROOMY } from '../scheduling/kinds.js';
import { insideServer, type RunningScheduler, startOurs, startPeer } from '../scheduling/schedulers.js';
import { type BenchServer, ownServer, peerServer } from '../scheduling/servers.js';
import { type RoundSize, Side } from '../scheduling/side.js';
import type { StageSettings } from '../settings.js';
import { inTurn } from '../table/rounds.js';
import { peerSettings } from '../target.js';

/** Kinds of pods by the number of nodes; those that leave no room come last. */
const SIZES: readonly { readonly nodes: number; readonly kinds: readonly PodKind[] }[] = [
  { nodes: 1_000, kinds: [...ROOMY, PREEMPTING] },
  { nodes: 5_000, kinds: [PLAIN, MIXED] },
];
/** Rounds of each kind that are not counted, and those that are. */
const [WARM, COUNTED] = [1, 3];
const ROUND: RoundSize = { pods: 300, paced: 100, rate: 50 };
/** Pods that are scheduled before anything is counted: a server that has just started is measured by `table`. */
const FIRST_PODS = 8_000;
/** A pod that preempts waits for its backoff of a second: fewer tell as much. */
const PREEMPTING_ROUND: RoundSize = { pods: 60, paced: 20, rate: 20 };
const HEARTBEATS = 500;

/**
 * What it takes to schedule pods: `orch scheduler`, with `full` the same inside of the server, and kube-scheduler where
 * KUBE_SCHEDULER names its program, each with a server of its own, in turns; where there is a peer as well,
 * kube-scheduler beside that one. Nodes are objects that nobody renews.
 */
export async function schedulerColumns({
  scale,
  full,
}: Omit<StageSettings, 'target'>): Promise<ReadonlyMap<string, readonly Measurement[]>> {
  const columns = new Map<string, Measurement[]>();
  for (const { nodes, kinds } of SIZES) {
    const sides: Side[] = [];
    try {
      for (const open of OPENINGS) {
        const side = await open(scaled(nodes, scale), full);
        if (side) sides.push(side);
      }
      for (const side of sides) await side.take(PLAIN, { ...ROUND, pods: scaled(FIRST_PODS, scale) }, false);
      for (const kind of kinds) await measure(sides, kind, scale);
      for (const side of sides) await side.takeHeartbeats(scaled(HEARTBEATS, scale));
      for (const side of sides) columns.set(side.name, [...(columns.get(side.name) ?? []), ...side.results()]);
    } finally {
      await Promise.all(sides.map((side) => side.close()));
    }
  }
  return columns;
}

/** What opens each side; undefined for one that cannot be had. */
const OPENINGS: readonly ((nodes: number, full: boolean) => Promise<Side | undefined>)[] = [
  async (nodes) => Side.open('orch scheduler', nodes, await ownServer(), startOurs),
  async (nodes, full) =>
    full ? Side.open('inside standalone', nodes, await ownServer(['--scheduler=on']), insideServer) : undefined,
  async (nodes) => {
    const start = peerStart();
    return start && Side.open('peer kube-scheduler', nodes, await ownServer(), start);
  },
  async (nodes) => {
    const [start, settings] = [peerStart(), peerSettings(process.env)];
    return start && settings && Side.open('peer with kube-apiserver', nodes, peerServer(settings), start);
  },
];

/** What starts kube-scheduler; undefined where its program is not named. */
function peerStart(): ((server: BenchServer) => Promise<RunningScheduler>) | undefined {
  const program = process.env.KUBE_SCHEDULER;
  return program ? (server) => startPeer(server, program) : undefined;
}

/** Measures a kind on all sides, in turns, so that what else the machine does meets all of them. */
async function measure(sides: readonly Side[], kind: PodKind, scale: number): Promise<void> {
  const size = kind.preempts ? PREEMPTING_ROUND : ROUND;
  const [pods, paced] = [scaled(size.pods, scale), scaled(size.paced, scale)];
  for (let round = 0; round < WARM + COUNTED; round++)
    for (const side of inTurn(sides, round)) await side.take(kind, { ...size, pods, paced }, round >= WARM);
  // What is known so far, as all of it takes minutes.
  for (const side of sides)
    for (const { name, value, unit } of side.results())
      if (name.includes(`, ${kind.name}:`)) process.stderr.write(`${side.name}: ${name} ${format(value)} ${unit}\n`);
}

const scaled = (count: number, scale: number): number => Math.max(10, Math.round(count * scale));
