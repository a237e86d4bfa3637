import { type Measurement, table } from '../report.js';
import { withRequests } from '../requests.js';
import { type RowGroup, TableBench, type TableSettings } from '../table/bench.js';
import { listGroup, memoryGroup } from '../table/reads.js';
import { inTurn, Rounds } from '../table/rounds.js';
import { closeSides, FLOOR, ORCH, openSides, PEER, type Side } from '../table/sides.js';
import { watchGroups } from '../table/watches.js';
import { coldGroup, getGroup, loneGroup, writeGroups } from '../table/writes.js';

/** Columns that are compared. */
export const TABLE_RATIOS = [
  [ORCH, PEER],
  [ORCH, FLOOR],
] as const;

/**
 * Requests, lists, watches and memory of our server over TLS, in turns with a bare server that shows what the machine costs
 * alone, and with kube-apiserver where the environment names a running one. Values are medians of the rounds; rows come as
 * they are measured.
 */
export async function tableColumns(settings: TableSettings): Promise<ReadonlyMap<string, readonly Measurement[]>> {
  const sides = await openSides(process.env);
  try {
    return await withRequests(async (worker) => {
      const bench = new TableBench(settings, worker);
      const rounds = new Rounds(names(sides));
      for (const group of groupsOf(bench)) await attempt(group, () => measure(group, sides, settings.rounds, rounds));
      process.stderr.write(`the client took ${Math.round(bench.clientCpu)} µs of CPU a request\n`);
      return rounds.medians();
    });
  } finally {
    await closeSides(sides);
  }
}

const names = (sides: readonly Side[]): string[] => sides.map(({ target }) => target.name);

/** The first rows need a new start, the last everything before. */
function groupsOf(bench: TableBench): RowGroup[] {
  const writes = bench.settings.wires.flatMap((wire) => writeGroups(bench, wire));
  const reads = [getGroup(bench), listGroup(bench)];
  return [coldGroup(bench), ...writes, loneGroup(bench), ...reads, ...watchGroups(bench), memoryGroup(bench)];
}

/** Runs a group of rows. Its failure does not discard the others. */
async function attempt({ name }: RowGroup, run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    process.stderr.write(`${name} failed: ${error instanceof Error ? error.message : error}\n`);
    process.exitCode = 1;
  }
}

/** Measures rows on all sides, in turns, so that what else the machine does meets all of them. */
async function measure(group: RowGroup, sides: readonly Side[], counted: number, all: Rounds): Promise<void> {
  for (const side of sides) await group.prepare?.(side);
  const own = new Rounds(names(sides));
  const warm = group.isWarm ? 1 : 0;
  const rounds = group.isOnce ? 1 : warm + counted;
  for (let round = 0; round < rounds; round++) {
    for (const side of inTurn(sides, round)) {
      const rows = await group.measure(side);
      if (round < warm) continue;
      for (const each of [own, all]) each.add(side.target.name, rows);
    }
  }
  process.stderr.write(`${table(own.medians(), TABLE_RATIOS)}\n`);
}
