import { describe } from 'vitest';
import { describeCharges } from './contract/charges.js';
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

/**
 * Tests that every Store must pass; call at the top of a vitest file.
 * @param charges whether all types lie in the same database as the accounts
 */
export function describeStore(name: string, makeStore: () => Promise<StoreUnderTest>, charges = false): void {
  describe(`${name}: store contract`, () => {
    const rig = declareRig(makeStore);
    describeTypes(rig);
    describeWrites(rig);
    describeConcurrentWrites(rig);
    describeSets(rig);
    if (charges) describeCharges(rig);
    describeNamespaces(rig);
    describeHistory(rig);
    describeSnapshots(rig);
    describeOwners(rig);
    describeRebuilding(rig);
  });
}
