import { customServer, definitionOf, version } from '@orch/testing';
import { beforeEach, describe, expect, it } from 'vitest';

const BASE = '/apis/example.test/v1/namespaces/default/widgets';
/** Each is two values, of which an object may have 50,000. */
const ITEMS = 20_000;
const FIELDS = 20;
/** Of the time that this thread has computed, on machines that compute slowly more. */
const LONGEST_MS = Number(process.env.FILL_MAX_STEP_MS ?? 50);
/** What is compiled or collected meanwhile is no part of a step, and does not come every time. */
const RETRIES = 3;

const { ask, serve } = customServer();

const schemaWith = (fields: number) => {
  const properties = Object.fromEntries(
    Array.from({ length: fields }, (_, at) => [`f${at}`, { type: 'integer', default: at }]),
  );
  const items = { type: 'array', items: { type: 'object', properties: { a: { type: 'string' }, ...properties } } };
  return { type: 'object', properties: { spec: { type: 'object', properties: { items } } } };
};
const serveWith = (fields: number) => serve(definitionOf([version('v1', schemaWith(fields))]));

const cpuMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};

/** Milliseconds that the longest step took meanwhile. */
async function longestStep(work: () => Promise<unknown>): Promise<number> {
  let [last, longest, done] = [cpuMs(), 0, false];
  const look = () => {
    const now = cpuMs();
    longest = Math.max(longest, now - last);
    last = now;
    if (!done) setImmediate(look);
  };
  setImmediate(look);
  await work();
  done = true;
  look();
  return longest;
}

describe('an object that lacks 400,000 defaults', () => {
  beforeEach(async () => {
    await serveWith(0);
    const widget = { apiVersion: 'example.test/v1', kind: 'Widget', metadata: { name: 'large' } };
    const made = await ask('POST', BASE, { ...widget, spec: { items: Array(ITEMS).fill({}) } });
    expect(made.status).toBe(201);
    await serveWith(FIELDS);
  });

  const applied = { apiVersion: 'example.test/v1', kind: 'Widget', metadata: { name: 'large', labels: { a: 'b' } } };
  const path = `${BASE}/large`;

  // Changed it would be of more values than an object may be that is sent.
  it.each([
    ['get', 200, () => ask('GET', path)],
    ['list', 200, () => ask('GET', BASE)],
    [
      'merge patch',
      413,
      () => ask('PATCH', path, { metadata: { labels: { a: 'b' } } }, 'application/merge-patch+json'),
    ],
    ['apply', 413, () => ask('PATCH', `${path}?fieldManager=a`, applied, 'application/apply-patch+yaml')],
    ['deletion', 200, () => ask('DELETE', path)],
  ])('is filled in steps for a %s', { retry: RETRIES }, async (verb, status, send) => {
    let answer: Awaited<ReturnType<typeof ask>> | undefined;
    const longest = await longestStep(async () => {
      answer = await send();
    });
    expect(answer?.status, answer?.body.message).toBe(status);
    if (verb === 'get') expect(Object.keys(answer?.body.spec.items[ITEMS - 1])).toHaveLength(FIELDS);
    expect(longest).toBeLessThan(LONGEST_MS);
  });
});
