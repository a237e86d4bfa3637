import { expect, test } from 'vitest';
import { restBesideComponents } from './cluster-at-rest.js';

const SECONDS = 180;
/** Compiling the components, the time to settle, and rest. */
const LIMIT_MS = 3_600_000;

test(
  'nothing but leases and heartbeats is written to a cluster at rest beside the controller manager, the scheduler and KWOK',
  async () => {
    const { writes, errors } = await restBesideComponents({ seconds: SECONDS, log: () => {} });
    expect(writes).toEqual([]);
    expect(errors).toEqual([]);
  },
  LIMIT_MS,
);
