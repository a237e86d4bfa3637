import { afterAll, beforeAll, expect } from 'vitest';
import type { Key, TypeId, Version } from '../face/key.js';
import type { Head, Row, Snapshot, Store, WriteOutcome } from '../face/store.js';
import { bodyOf } from '../testing/body-codec.js';

/** A store with nothing in it, as the contract suite needs it. */
export interface StoreUnderTest {
  readonly store: Store;
  /** Another store on the same state, as another process would open it; closed by {@link dispose}. */
  peer(): Promise<Store>;
  /** Drops all history that can be dropped, as compaction would after the retention. */
  compact(): Promise<void>;
  dispose(): Promise<void>;
}

/** Shared fixtures of the suite: one store, and shorthands to write to it. The store exists once tests run. */
export interface Rig {
  readonly store: Store;
  /** The type that holds namespaces. */
  readonly namespaces: TypeId;
  peer(): Promise<Store>;
  compact(): Promise<void>;
  /** A type that no other test has. */
  freshType(): Promise<TypeId>;
  create(type: TypeId, key: Key, text?: string, requireNamespace?: boolean): Promise<WriteOutcome>;
  update(type: TypeId, key: Key, version: Version, text: string, terminating?: boolean): Promise<WriteOutcome>;
  remove(type: TypeId, key: Key, version: Version): Promise<WriteOutcome>;
  headOf(type: TypeId, from?: Store): Promise<Head>;
}

/** Makes the store before the tests of the suite that is being declared, and disposes of it after them. */
export function declareRig(makeStore: () => Promise<StoreUnderTest>): Rig {
  let subject: StoreUnderTest;
  let namespaces: TypeId;
  let serial = 0;
  beforeAll(async () => {
    subject = await makeStore();
    [namespaces = 0] = await subject.store.registerTypes([{ group: '', resource: 'namespaces' }]);
    subject.store.setNamespaceType(namespaces);
  }, 60_000);
  afterAll(() => subject.dispose());
  return {
    get store() {
      return subject.store;
    },
    get namespaces() {
      return namespaces;
    },
    peer: () => subject.peer(),
    compact: () => subject.compact(),
    async freshType() {
      const [type = 0] = await subject.store.registerTypes([{ group: 'test.example', resource: `things${++serial}` }]);
      return type;
    },
    create: (type, at, text = 'new', requireNamespace = false) =>
      subject.store.write({
        op: 'create',
        type,
        ...at,
        uid: `u-${at.name.length}`,
        body: body(text),
        requireNamespace,
      }),
    update: (type, at, version, text, terminating = false) =>
      subject.store.write({ op: 'update', type, ...at, version, body: body(text), terminating }),
    remove: (type, at, version) => subject.store.write({ op: 'delete', type, ...at, version, body: body('last') }),
    async headOf(type, from = subject.store) {
      const head = (await from.heads([type])).get(type);
      if (!head) throw new Error('no head');
      return head;
    },
  };
}

/** Every second one has owners, by its length. */
export const body = (value: string): Buffer => bodyOf(value, value.length % 2 ? `owner of ${value}` : undefined);

export const key = (name: string, namespace = 'ns'): Key => ({ namespace, name });

export function versionOf(outcome: WriteOutcome): Version {
  expect(outcome.outcome).toBe('committed');
  return outcome.outcome === 'committed' ? outcome.version : 0n;
}

export async function rowsOf(snapshot: Snapshot): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const page of snapshot.pages) rows.push(...page);
  return rows;
}

export async function namesIn(snapshot: Snapshot): Promise<string[]> {
  return (await rowsOf(snapshot)).map((row) => row.name);
}

export function essence(row: Row): string {
  return `${row.namespace}/${row.name}@${row.version}=${row.body}`;
}

export function compare(a: Key, b: Key): number {
  return (
    Buffer.compare(Buffer.from(a.namespace), Buffer.from(b.namespace)) ||
    Buffer.compare(Buffer.from(a.name), Buffer.from(b.name))
  );
}
