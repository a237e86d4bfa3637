import { StatusError } from '@orch/machinery';
import type { Endpoint } from '@orch/resources';
import type { SetOutcome, Store, WriteOp, WriteOutcome, WriteRefusal } from '@orch/storage';
import { StoreUnavailableError } from '@orch/storage';
import { beforeEach, describe, expect, it } from 'vitest';
import type { QuotaCharges } from '../charges/quota-charges.js';
import type { Caller } from './caller.js';
import { Committer } from './committer.js';

/** What happened, in order. */
let done: string[] = [];
let outcome: () => WriteOutcome | SetOutcome;
let countedNow = false;

beforeEach(() => {
  done = [];
  countedNow = false;
});

const store = {
  async write({ name }: WriteOp) {
    done.push(`write ${name}`);
    return outcome();
  },
  async writeSet(ops: readonly WriteOp[]) {
    done.push(`set ${ops.map(({ name }) => name)}`);
    return outcome();
  },
} as unknown as Store;
const quotas = {
  async catchUp() {
    done.push('catch up');
  },
  async areCountedNow(_: WriteRefusal, { name }: WriteOp) {
    done.push(`count for ${name}`);
    return countedNow;
  },
  refusal: (_: WriteRefusal, { apiVersion }: Endpoint, { name }: WriteOp) =>
    new StatusError('Forbidden', `exceeded quota: ${name} of ${apiVersion}`),
} as unknown as QuotaCharges;
const endpointOf = (apiVersion: string) => ({ apiVersion }) as Endpoint;

/** @param waits whether something was taken for it */
const plan = (waits: boolean, ...names: string[]) => ({
  endpoint: endpointOf(names.join()),
  ops: names.map((name) => ({ op: 'update', name }) as WriteOp),
  conclude(to: string) {
    const concluded = () => void done.push(`${names.join()} ${to}`);
    return waits ? Promise.resolve().then(concluded) : concluded();
  },
});
const [a, bc, d, none] = [plan(false, 'a'), plan(true, 'b', 'c'), plan(false, 'd'), plan(false)];
const attempt = (
  plans: readonly ReturnType<typeof plan>[],
  using: QuotaCharges | undefined = quotas,
  caller?: Caller,
) => new Committer({ store, quotas: using }).attempt(plans, caller && [caller]);
const callerUntil = (deadline: number) => ({ deadline }) as Caller;

const CONFLICT: WriteRefusal = { outcome: 'conflict', version: 3n };
const refused = (refusal: WriteRefusal, item = 0): SetOutcome => ({ outcome: 'refused', item, refusal });

describe('an attempt that is committed', () => {
  it('writes a single operation by itself', async () => {
    outcome = () => ({ outcome: 'committed', version: 7n });
    expect(await attempt([a])).toEqual({ outcome: 'committed', versions: [7n] });
    expect(done).toEqual(['write a', 'a kept']);
  });

  it('also where another plan has none', async () => {
    outcome = () => ({ outcome: 'committed', version: 7n });
    await attempt([none, a]);
    expect(done).toEqual(['write a', ' kept', 'a kept']);
  });

  it('tells the version that the last operation of each plan made', async () => {
    outcome = () => ({ outcome: 'committed', versions: [1n, 2n, 3n, 4n] });
    expect(await attempt([a, bc, d])).toEqual({ outcome: 'committed', versions: [1n, 3n, 4n] });
    expect(done).toEqual(['set a,b,c,d', 'a kept', 'b,c kept', 'd kept']);
  });
});

describe('an attempt that is not', () => {
  it('drops what was taken for it, and says why', async () => {
    outcome = () => refused(CONFLICT);
    expect(await attempt([bc, d])).toEqual(CONFLICT);
    expect(done).toEqual(['set b,c,d', 'b,c dropped', 'd dropped']);
  });

  it('knows quotas as they are now', async () => {
    outcome = () => ({ outcome: 'accounts-changed' });
    expect(await attempt([a])).toEqual({ outcome: 'accounts-changed' });
    expect(done).toEqual(['write a', 'a dropped', 'catch up']);
  });

  it.each([true, false])('waits for the first count of what was exceeded: counted %s', async (counted) => {
    countedNow = counted;
    const exceeded: WriteRefusal = { outcome: 'exceeded', exceeded: [] };
    outcome = () => exceeded;
    const attempted = attempt([a]);
    if (counted) expect(await attempted).toEqual(exceeded);
    else await expect(attempted).rejects.toThrow('exceeded quota');
    expect(done).toEqual(['write a', 'a dropped', 'count for a']);
  });

  it.each([
    [0, 'a of a'],
    [2, 'c of b,c'],
    [3, 'd of d'],
  ])('names the operation that exceeds a quota: that at %d', async (item, named) => {
    outcome = () => refused({ outcome: 'exceeded', exceeded: [] }, item);
    await expect(attempt([a, none, bc, d])).rejects.toThrow(`exceeded quota: ${named}`);
    expect(done.at(-1)).toBe(`count for ${named.charAt(0)}`);
  });

  it('asks nobody where nothing is charged', async () => {
    for (const kind of ['accounts-changed', 'exceeded'] as const) {
      outcome = () => ({ outcome: kind, exceeded: [] });
      expect(await new Committer({ store }).attempt([a])).toMatchObject({ outcome: kind });
    }
    expect(done).toEqual(['write a', 'a dropped', 'write a', 'a dropped']);
  });

  it.each([
    [new StoreUnavailableError('gone', true), 'unknown'],
    [new StoreUnavailableError('gone', false), 'dropped'],
    [new Error('broken'), 'dropped'],
  ])('concludes each plan before it fails: %s', async (error, concluded) => {
    outcome = () => {
      throw error;
    };
    await expect(attempt([bc, d])).rejects.toBe(error);
    expect(done).toEqual(['set b,c,d', `b,c ${concluded}`, `d ${concluded}`]);
  });

  it('writes nothing for a caller who has given up', async () => {
    outcome = () => ({ outcome: 'committed', version: 7n });
    await expect(attempt([a], quotas, callerUntil(performance.now()))).rejects.toMatchObject({ code: 504 });
    expect(done).toEqual(['a dropped']);
    await attempt([a], quotas, callerUntil(performance.now() + 60_000));
    expect(done).toEqual(['a dropped', 'write a', 'a kept']);
  });
});
