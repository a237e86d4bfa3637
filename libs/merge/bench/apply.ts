/**
 * CPU of ownership and of applies, in microseconds; of five rounds the best. Every object is read from JSON anew, so that
 * nothing is known of it.
 *
 *   npx tsc -b && npx tsx libs/merge/bench/apply.ts
 */
import { type JsonObject, namesOf } from '@orch/machinery';
import { deployment, pod, status } from '@orch/machinery/testing';
import {
  bothTypes,
  customType,
  declaredType,
  FieldManager,
  packOwners,
  unpackOwners,
  type VersionTypes,
} from '@orch/merge';
import { loadScheme } from '@orch/schema';

const ROUNDS = 5;

/** So few objects are there at a time that collecting what earlier ones left does not count as theirs. */
const BATCH = 20;

function measure<T>(name: string, times: number, make: (index: number) => T, step: (made: T) => unknown): void {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round <= ROUNDS; round++) {
    let spent = 0;
    for (let done = 0; done < times; done += BATCH) {
      const made = Array.from({ length: BATCH }, (_, index) => make(index));
      const before = process.cpuUsage();
      for (const one of made) step(one);
      const { user, system } = process.cpuUsage(before);
      spent += user + system;
    }
    if (round > 0) best = Math.min(best, spent / times); // the first is for the compiler
  }
  console.log(`${name.padEnd(62)} ${best.toFixed(1).padStart(8)}`);
}

const scheme = loadScheme(namesOf('kubernetes'));
const typesOf = (group: string, version: string, kind: string): VersionTypes => {
  const schema = scheme.kind(group, version, kind)?.schema;
  if (!schema) throw new Error(`no ${kind}`);
  return { stored: declaredType(schema, { zeros: true }), configuration: declaredType(schema, { zeros: false }) };
};
const manager = (apiVersion: string, kind: string, types: VersionTypes, subresource?: string) =>
  new FieldManager(
    { apiVersion, kind, typesOf: () => types, ...(subresource && { subresource }) },
    (object, apiVersion) => ({ ...object, apiVersion }),
  );

const now = new Date('2026-01-02T03:04:05Z');
const fresh = (object: JsonObject): JsonObject => JSON.parse(JSON.stringify(object)) as JsonObject;
const withUid = (object: JsonObject): JsonObject => ({
  ...object,
  metadata: { ...(object.metadata as JsonObject), uid: '9f2c' },
});
const entriesText = ({ metadata }: JsonObject) => JSON.stringify((metadata as JsonObject).managedFields);

const deployments = manager('apps/v1', 'Deployment', typesOf('apps', 'v1', 'Deployment'));
const statuses = manager('apps/v1', 'Deployment', typesOf('apps', 'v1', 'Deployment'), 'status');
const created = deployments.update(undefined, deployment('d', 1), { manager: 'kubectl', now });
const live = statuses.update(created, withUid({ ...created, status: status(2) }), {
  manager: 'kube-controller-manager',
  now,
});
const changed = { ...live, spec: { ...(live.spec as JsonObject), replicas: 7 } };
console.log(
  `Deployment: ${JSON.stringify(deployment('d', 1)).length} bytes, its entries ${entriesText(live).length} bytes`,
);

const text = JSON.stringify(deployment('d', 1));
measure(
  'for comparison: JSON.parse of the Deployment',
  1_000,
  () => text,
  (one) => JSON.parse(one),
);
const kubectl = { manager: 'kubectl', now };
measure(
  'create',
  1_000,
  () => fresh(deployment('d', 1)),
  (next) => deployments.update(undefined, next, kubectl),
);
measure(
  'create, and the text of its entries',
  1_000,
  () => fresh(deployment('d', 1)),
  (next) => entriesText(deployments.update(undefined, next, kubectl)),
);
const pair = (next: JsonObject) => () => [fresh(live), fresh(next)] as const;
measure('update of nothing', 1_000, pair(live), ([from, to]) => deployments.update(from, to, kubectl));
measure('update of one field of its own', 1_000, pair(changed), ([from, to]) => deployments.update(from, to, kubectl));
measure('update of one field, and the text of its entries', 1_000, pair(changed), ([from, to]) =>
  entriesText(deployments.update(from, to, kubectl)),
);
const other = { manager: 'somebody', now };
measure('update of one field of another', 1_000, pair(changed), ([from, to]) => deployments.update(from, to, other));
const without = {
  ...changed,
  metadata: { ...((changed as JsonObject).metadata as JsonObject), managedFields: undefined },
};
measure('update of one field, no entries sent', 1_000, pair(without), ([from, to]) =>
  deployments.update(from, to, kubectl),
);
const moved = { ...live, status: status(3) };
measure('update of the status', 1_000, pair(moved), ([from, to]) =>
  statuses.update(from, to, { manager: 'kube-controller-manager', now }),
);

const entries = (live.metadata as JsonObject).managedFields;
const body = { ...live, metadata: { ...(live.metadata as JsonObject), managedFields: undefined } };
const written = Buffer.from(JSON.stringify(entries));
const packed = packOwners(written) ?? written;
console.log(`packed: ${packed.length} bytes for ${written.length}, beside an object of ${JSON.stringify(body).length}`);
measure('entries packed', 1_000, () => written, packOwners);
measure('entries unpacked', 1_000, () => packed, unpackOwners);

const pods = manager('v1', 'Pod', typesOf('', 'v1', 'Pod'));
const applier = { manager: 'applier', now };
const applied = withUid(pods.apply(undefined, pod(100), applier));
const bigPair = (next: JsonObject) => () => [fresh(applied), fresh(next)] as const;
measure(
  'apply of a pod of 100 containers: first',
  40,
  () => fresh(pod(100)),
  (said) => pods.apply(undefined, said, applier),
);
measure('apply of a pod of 100 containers: nothing new', 40, bigPair(pod(100)), ([from, said]) =>
  pods.apply(from, said, applier),
);
measure('apply of a pod of 100 containers: every image', 40, bigPair(pod(100, { tag: '2' })), ([from, said]) =>
  pods.apply(from, said, applier),
);
measure('apply of a pod of 100 containers: one given up', 40, bigPair(pod(99)), ([from, said]) =>
  pods.apply(from, said, applier),
);

const widget = bothTypes(
  customType(
    { type: 'object', properties: { spec: { type: 'object', properties: { size: { type: 'integer' } } } } },
    scheme.struct('meta/v1.ObjectMeta'),
  ),
);
const widgets = manager('example.com/v1', 'Widget', widget);
const custom = (size: number): JsonObject => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name: 'w', namespace: 'default', labels: { app: 'w' } },
  spec: { size },
});
const small = withUid(widgets.apply(undefined, custom(1), applier));
measure(
  'apply of a small custom object: one field',
  1_000,
  () => [fresh(small), custom(2)] as const,
  ([from, said]) => widgets.apply(from, said, applier),
);
