/**
 * Whether anything is written to a cluster at rest. Brings workloads of most kinds to rest beside the controller manager and the scheduler of
 * release 1.27.16 and KWOK, all compiled from their modules, then looks for some time; ends with 1 where anything was written but leases
 * and heartbeats of nodes, or where a log tells of an error.
 *
 *   npx tsx test/clients/control-plane/at-rest.ts [--seconds=3600]
 */
import { parseArgs } from 'node:util';
import { restBesideComponents } from './cluster-at-rest.js';

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '3600' } } });
const seconds = Number(values.seconds);
if (!(seconds > 0)) throw new RangeError(`not a number of seconds: ${values.seconds}`);
const print = (line: string) => process.stdout.write(`${line}\n`);

const { writes, errors, heartbeats, expired, secondsToSettle } = await restBesideComponents({ seconds, log: print });
for (const write of writes) print(JSON.stringify(write));
for (const line of errors) print(line);
print(
  `${seconds} s at rest, ${secondsToSettle} s after the last object was made: ${writes.length} writes beside leases, ` +
    `${heartbeats} heartbeats of nodes and ${expired} events whose hour was over; ${errors.length} errors in logs`,
);
process.exitCode = writes.length + errors.length > 0 ? 1 : 0;
