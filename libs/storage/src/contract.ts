import { describe } from 'vitest';
import { describeConcurrentWrites } from './contract/concurrent-writes.js';
import { describeHistory } from './contract/history.js';
import { describeNamespaces } from './contract/namespaces.js';
import { describeOwners } from './contract/owners.js';
import { describeRebuilding } from './contract/rebuilding.js';
import { declareRig, type StoreUnderTest } from './contract/rig.js';
import { describeSets } from './contract/sets.js';
import { describeSnapshots } from './contract/snapshots.js';
import { describeTypes } from './contract/types.js';
import { describeWrites } from './contract/writes.js';

export type { StoreUnderTest };

/** What every Store must do; call at the top of a vitest file. */
export function describeStore(name: string, makeStore: () => Promise<StoreUnderTest>): void {
  describe(`${name}: store contract`, () => {
    const rig = declareRig(makeStore);
    describeTypes(rig);
    describeWrites(rig);
    describeConcurrentWrites(rig);
    describeSets(rig);
    describeNamespaces(rig);
    describeHistory(rig);
    describeSnapshots(rig);
    describeOwners(rig);
    describeRebuilding(rig);
  });
}
