import { Worker } from 'node:worker_threads';
import { YamlSyntaxError } from '@orch/codec';
import type { StatusError } from '@orch/machinery';
import { afterEach, expect, it } from 'vitest';
import { type Sender, type YamlDocument, YamlReader } from './yaml-reader.js';

/** A thread that gives back the first word of each document; it ends at one that begins with `die`, and fills its heap at `swell`. */
const WORDS = `
  const { parentPort } = require('node:worker_threads');
  parentPort.on('message', ({ id, text }) => {
    const [word] = text.split(' ');
    if (word === 'die') process.exit(1);
    for (const all = []; word === 'swell'; ) all.push(Array.from({ length: 1000 }, () => ({})));
    if (word === 'wrong') parentPort.postMessage({ id, message: 'no YAML' });
    else parentPort.postMessage({ id, converted: { json: JSON.stringify(word), repeated: [] } });
  });
`;
const LIMITS = { maxValues: 50_000 };

let threads = 0;
const reader = new YamlReader(() => {
  threads++;
  return new Worker(WORDS, { eval: true, resourceLimits: { maxOldGenerationSizeMb: 16 } });
});
afterEach(() => reader.close());

const sender = (user: string, isGone = () => false): Sender => ({ user, isGone });
/** Too long to be read at once. */
const long = (word: string): Buffer => Buffer.from(word.padEnd(10_000, ' '));
const read = (word: string, from: Sender): Promise<YamlDocument> => reader.read(long(word), LIMITS, from);
const codeOf = (error: unknown): number => (error as StatusError).code;

it.each(['a: "@"', '{"a": "@"}', 'a: "@"'.padEnd(10_000)])('refuses bytes that are no text (%#)', async (text) => {
  const bytes = Buffer.from(text);
  bytes[bytes.indexOf('@')] = 0xff;
  await expect(reader.read(bytes, LIMITS, sender('a'))).rejects.toThrow('yaml: invalid leading UTF-8 octet');
});

it('lets users take turns', async () => {
  const order: unknown[] = [];
  const note = ({ parsed }: YamlDocument): void => void order.push(parsed.value);
  const greedy = ['a1', 'a2', 'a3'].map((word) => read(word, sender('a')).then(note));
  await Promise.all([...greedy, read('b1', sender('b')).then(note)]);
  expect(order).toEqual(['a1', 'a2', 'b1', 'a3']);
});

it('turns away who has many documents waiting, and nobody else', async () => {
  const many = Array.from({ length: 17 }, (_, i) => read(`a${i}`, sender('a')));
  await expect(read('more', sender('a'))).rejects.toMatchObject({ code: 429 });
  expect((await read('b', sender('b'))).parsed.value).toBe('b');
  expect(await Promise.all(many)).toHaveLength(17);
});

it('reads nothing for clients that are gone, and gives their places to others', async () => {
  let gone = false;
  const first = read('first', sender('a'));
  const left = Array.from({ length: 16 }, () =>
    read(
      'die',
      sender('a', () => gone),
    ).catch(codeOf),
  );
  gone = true;
  const next = read('next', sender('a'));
  expect((await first).parsed.value).toBe('first');
  expect((await next).parsed.value).toBe('next');
  expect(new Set(await Promise.all(left))).toEqual(new Set([400]));
});

it('tells a thread that fails from a document that is wrong, and goes on with another thread', async () => {
  const before = threads;
  const answers = await Promise.all([
    read('die', sender('a')).catch(codeOf),
    read('wrong', sender('a')).catch((error: unknown) => error),
    read('well', sender('b')),
  ]);
  expect(answers[0]).toBe(500);
  expect(answers[1]).toBeInstanceOf(YamlSyntaxError);
  expect(answers[2].parsed.value).toBe('well');
  expect(threads).toBe(before + 2);
});

it('refuses a document that takes more memory than the thread has as too large', async () => {
  const answers = await Promise.all([read('swell', sender('a')).catch(codeOf), read('well', sender('b'))]);
  expect(answers[0]).toBe(413);
  expect(answers[1].parsed.value).toBe('well');
});

it('refuses what waits when it is closed, as something to be tried again', async () => {
  const waiting = [read('a', sender('a')), read('b', sender('a'))].map((one) => one.catch(codeOf));
  // Both have come to the line.
  await new Promise((resolve) => setImmediate(resolve));
  reader.close();
  expect(await Promise.all(waiting)).toEqual([503, 503]);
});

it('takes JSON for what it is, without a thread', async () => {
  const before = threads;
  const json = Buffer.from(JSON.stringify({ a: 'x'.repeat(10_000) }));
  expect((await reader.read(json, LIMITS, sender('a'))).parsed.values).toBeLessThan(5);
  expect(threads).toBe(before);
});
