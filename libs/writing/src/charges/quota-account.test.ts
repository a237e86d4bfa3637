import type { ApiObject } from '@orch/machinery';
import { describe, expect, it } from 'vitest';
import { accountOf, settleStatus } from './quota-account.js';

const quota = (hard: object, status?: object) =>
  ({ metadata: { name: 'q' }, spec: { hard }, ...(status && { status }) }) as ApiObject;
const settled = (object: ApiObject, old?: ApiObject, more: { subresource?: string; counted?: boolean } = {}) => {
  settleStatus({ object, old, subresource: '', counted: false, ...more });
  return object.status;
};

describe('the status of a quota', () => {
  it('follows the spec, and keeps what is used of what is still limited', () => {
    expect(settled(quota({ pods: '1' }, { hard: { pods: '9' }, used: { pods: '9' } }))).toEqual({
      hard: { pods: '1' },
      used: {},
    });
    const old = quota({ pods: '1', cpu: '2' }, { hard: { pods: '1', cpu: '2' }, used: { pods: '1', cpu: '1' } });
    const now = quota({ pods: '3', memory: '1' }, { hard: { pods: '7' }, used: { pods: '0', memory: '5' } });
    expect(settled(now, old)).toEqual({ hard: { pods: '3', memory: '1' }, used: { pods: '1' } });
  });

  it('is to be counted anew where the quota is about other objects', () => {
    const scoped = (scopeName: string, status?: object): ApiObject => {
      const { spec, ...rest } = quota({ pods: '9' }, status);
      return {
        ...rest,
        spec: { ...(spec as object), scopeSelector: { matchExpressions: [{ scopeName, operator: 'Exists' }] } },
      };
    };
    const old = scoped('BestEffort', { hard: { pods: '9' }, used: { pods: '3' } });
    expect(settled(scoped('BestEffort'), old)).toEqual({ hard: { pods: '9' }, used: { pods: '3' } });
    expect(settled(scoped('NotBestEffort'), old)).toEqual({ hard: { pods: '9' }, used: {} });
  });

  it('may be written as to its limits, and is counted by the server alone', () => {
    const old = quota({ pods: '1' }, { hard: { pods: '1' }, used: { pods: '1' } });
    const said = quota({ pods: '1' }, { hard: { pods: '5' }, used: { pods: '0' } });
    expect(settled(said, old, { subresource: 'status' })).toEqual({ hard: { pods: '5' }, used: { pods: '1' } });
    expect(settled(quota({ pods: '1' }, old.status as object), said)).toEqual({
      hard: { pods: '5' },
      used: { pods: '1' },
    });
    const counted = quota({ pods: '1' }, { hard: { pods: '1' }, used: { pods: '4' } });
    expect(settled(counted, said, { subresource: 'status', counted: true })).toEqual({
      hard: { pods: '1' },
      used: { pods: '4' },
    });
  });
});

describe('an account', () => {
  const bodyOf = (object: ApiObject) => Buffer.from(JSON.stringify(object));
  const place = (body: Buffer, { fromEnd, length }: { fromEnd: number; length: number }) =>
    body.subarray(body.length - fromEnd, body.length - fromEnd + length).toString();
  const write = (object: ApiObject, old?: ApiObject) => ({ object, old, subresource: '', counted: false });

  it('tells where its amounts stand, and what they are', () => {
    const object = quota({}, { hard: { memory: '1Gi', cpu: '1500m' }, used: { memory: '512Mi' } });
    const { metadata } = object;
    Object.assign(metadata as object, { annotations: { 'ü"used":{': '"used":{"cpu":"1"}' } });
    const { body, tally } = accountOf(bodyOf(object), write(object));
    expect(place(body, tally.place)).toBe('{"memory":"512Mi"}');
    expect(tally.amounts).toEqual({
      memory: { limit: '1073741824', used: '536870912', binary: true },
      cpu: { limit: '1.5', binary: false },
    });
    expect(tally.sameTerms).toBe(false);
  });

  it('has a place for them where there are none, also without a status', () => {
    const { body, tally } = accountOf(Buffer.from('{"metadata":{"name":"q"},"spec":{}}'), write(quota({})));
    expect(body.toString()).toBe('{"metadata":{"name":"q"},"spec":{},"status":{"used":{}}}');
    expect(place(body, tally.place)).toBe('{}');
  });

  it('counts the same while nothing but amounts changes', () => {
    const before = quota({}, { hard: { pods: '1' }, used: { pods: '0' } });
    const after = quota({}, { hard: { pods: '2' }, used: { pods: '0' } });
    expect(accountOf(bodyOf(after), write(after, before)).tally.sameTerms).toBe(true);
    const other = quota({}, { hard: { cpu: '2' } });
    expect(accountOf(bodyOf(other), write(other, before)).tally.sameTerms).toBe(false);
  });
});
