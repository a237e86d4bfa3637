import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { calibrate } from './calibrate.js';
import { comparisons } from './check.js';
import type { Calibration } from './costs.js';
import { type Fleet, planOf, ranges, recommended, scan } from './fleet.js';
import { checkTable, costsTable, planTable, rangesText } from './text.js';

const USAGE = `usage: make simulate SIMULATE="options", or npx tsx test/load/simulate/main.ts [options]

  --watchers=N     of all gateways together (default 1000000)
  --writes=N       changes per second of what they watch; with --audiences, instead of the usual scenes
  --audiences=N    groups of watchers that want the same; a change concerns one of them
  --gateways=LIST  numbers of gateways to show beside the one that is recommended
  --cores=N        of each host of gateways; a gateway takes one (default 16)
  --memory=GIB     of each host (default 64)
  --network=GBIT   of each host (default 25)
  --p99=MS         longest 99th percentile from request to watcher (default 1000)
  --headroom=N     share of CPU, memory and network that may be in use (default 0.7)
  --costs=FILE     takes the costs of an earlier run instead of measuring
  --save=FILE      writes the measured costs
  --quick          measures only what the costs are fitted to
`;

const { values } = parseArgs({
  options: {
    watchers: { type: 'string', default: '1000000' },
    writes: { type: 'string' },
    audiences: { type: 'string' },
    gateways: { type: 'string' },
    cores: { type: 'string', default: '16' },
    memory: { type: 'string', default: '64' },
    network: { type: 'string', default: '25' },
    p99: { type: 'string', default: '1000' },
    headroom: { type: 'string', default: '0.7' },
    costs: { type: 'string' },
    save: { type: 'string' },
    quick: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) process.stdout.write(USAGE);
else await main();

async function main(): Promise<void> {
  const calibration = values.costs
    ? (JSON.parse(readFileSync(values.costs, 'utf8')) as Calibration)
    : await calibrate(!values.quick);
  if (values.save) writeFileSync(values.save, `${JSON.stringify(calibration, null, 2)}\n`);
  process.stdout.write(`${costsTable(calibration)}\n`);
  const compared = comparisons(calibration);
  if (compared.length > 0) process.stdout.write(`\n${checkTable(compared)}\n`);
  for (const fleet of fleets()) process.stdout.write(`\n${scene(calibration, fleet)}`);
}

function fleets(): Fleet[] {
  const watchers = Number(values.watchers);
  const scenes =
    values.writes !== undefined || values.audiences !== undefined
      ? [{ writes: Number(values.writes ?? 20), audiences: Number(values.audiences ?? 1) }]
      : [
          { writes: 1, audiences: 1 },
          { writes: 20, audiences: 1 },
          { writes: 500, audiences: 1_000 },
          { writes: 2_000, audiences: watchers },
        ];
  const host = {
    cores: Number(values.cores),
    memoryGib: Number(values.memory),
    networkGbit: Number(values.network),
  };
  const limits = {
    headroom: Number(values.headroom),
    p99Ms: Number(values.p99),
    postgresCores: host.cores,
    natsCores: host.cores,
    natsGbit: host.networkGbit,
  };
  return scenes.map((wanted) => ({ watchers, ...wanted, host, limits }));
}

function scene({ costs }: Calibration, fleet: Fleet): string {
  const plans = scan(costs, fleet);
  const best = recommended(plans);
  const beside = best ? [0.5, 0.75, 1, 1.5, 2].map((factor) => Math.max(1, Math.round(best.gateways * factor))) : [];
  const asked = values.gateways ? values.gateways.split(',').map(Number) : [];
  const numbers = [...new Set([...beside, ...asked])].sort((a, b) => a - b);
  const { watchers, writes, audiences } = fleet;
  const title = `${watchers.toLocaleString('en-US')} watchers in ${audiences.toLocaleString('en-US')} audience(s), ${writes} writes/s`;
  const verdict = best
    ? `recommended: ${best.gateways} gateways on ${best.hosts} hosts, ${best.watchersEach} watchers each`
    : 'no number of gateways keeps all limits';
  const shown = numbers.length > 0 ? `${planTable(numbers.map((count) => planOf(costs, fleet, count)))}\n` : '';
  return `${title}\n${shown}${rangesText(ranges(plans))}\n${verdict}\n`;
}
