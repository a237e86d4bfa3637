import type { Stored } from '../src/stored/stored.js';

/**
 * CPU of a list in JSON by how its objects lie, in microseconds of an object; of five rounds the best: as they are served, with
 * other defaults than today's though they lack none, and lacking one. Each round reads other bytes, as from the database.
 *
 *   npx tsx --conditions=source libs/resources/bench/stored-defaults.ts
 */

import { deployment } from '@orch/machinery/testing';
import { testApi } from '@orch/testing';
import { gathered } from '../src/representation/piece.js';

const OBJECTS = 2_000;
const PAGE = 200;
const ROUNDS = 5;

const api = await testApi({}, 'kubernetes');
const endpoint = api.endpoint('deployments');
await api.create('deployments', deployment('d', 1));
const [row] = api.store.rows(endpoint.type);
if (!row) throw new Error('nothing was stored');
const lacking = Buffer.from(row.body.toString().replace('"progressDeadlineSeconds":600,', ''));
if (lacking.length === row.body.length) throw new Error('nothing was left out');
const representation = api.deps.representations.choose(endpoint, 'application/json', new URLSearchParams());

async function* pages(stored: Stored): AsyncGenerator<readonly Stored[]> {
  for (let at = 0; at < OBJECTS; at += PAGE)
    yield Array.from({ length: PAGE }, () => ({ ...stored, body: Buffer.from(stored.body) }));
}

async function measure(name: string, stored: Stored): Promise<void> {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round <= ROUNDS; round++) {
    const before = process.cpuUsage();
    await gathered(representation.list({ resourceVersion: '1' }, pages(stored)));
    const { user, system } = process.cpuUsage(before);
    // The first is for the compiler.
    if (round > 0) best = Math.min(best, (user + system) / OBJECTS);
  }
  console.log(`${name.padEnd(28)} ${best.toFixed(1).padStart(6)}`);
}

console.log(`objects of ${row.body.length} bytes`);
await measure('today’s defaults', row);
await measure('others, and none lacking', { ...row, defaults: 0 });
await measure('others, and one lacking', { ...row, defaults: 0, body: lacking });
api.close();
