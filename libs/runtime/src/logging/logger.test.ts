import { expect, test } from 'vitest';
import { ManualClock } from '../testing/manual-clock.js';
import { createLogger, type LogFormat } from './logger.js';

function capture(format: LogFormat, verbosity = 0) {
  const lines: string[] = [];
  const clock = new ManualClock(Date.UTC(2023, 3, 11, 9, 30, 0, 125));
  return { lines, logger: createLogger({ format, verbosity, clock, write: (line) => lines.push(line) }) };
}

test('text lines', () => {
  const { lines, logger } = capture('text');
  logger.with({ requestID: 'r1' }).info('list "served"\n', { count: 2, big: 2n ** 60n, none: undefined });
  logger.warn('careful');
  logger.error('failed', new Error('outer', { cause: new Error('inner') }));
  expect(lines).toEqual([
    'I0411 09:30:00.125 "list \\"served\\"\\n" requestID="r1" count=2 big="1152921504606846976"\n',
    'W0411 09:30:00.125 "careful"\n',
    'E0411 09:30:00.125 "failed" err="outer: inner"\n',
  ]);
});

test('JSON lines: a field cannot displace the message', () => {
  const { lines, logger } = capture('json', 2);
  logger.v(2)?.info('hello', { msg: 'fake', ts: 0, n: 1 });
  expect(JSON.parse(lines[0] ?? '')).toEqual({ ts: 1681205400125, level: 'info', v: 2, msg: 'hello', n: 1 });
  expect(lines[0]?.endsWith('\n')).toBe(true);
});

test('levels above the verbosity are off and evaluate nothing', () => {
  const { lines, logger } = capture('text', 3);
  const evaluated = () => expect.unreachable();
  logger.v(4)?.info('x', { a: evaluated() });
  logger.v(3)?.info('y');
  expect(lines).toHaveLength(1);
});

test.each(['text', 'json'] as const)('secrets are never written (%s)', (format) => {
  const { lines, logger } = capture(format, 10);
  const bad = new Error('connect postgres://app:hunter2@db/x failed with Authorization: Bearer s3cret');
  logger.with({ token: 's3cret' }).info('login with Bearer s3cret', {
    Authorization: 'Bearer s3cret',
    headers: { authorization: 's3cret', cookie: ['s3cret'], host: 'h' },
    'client-key-data': 's3cret',
    clientSecret: 's3cret',
    url: 'nats://u:hunter2@host:4222',
    pem: '-----BEGIN EC PRIVATE KEY-----\ns3cret\n-----END EC PRIVATE KEY-----',
    bytes: Buffer.from('s3cret'),
    deep: { err: bad, list: [{ bearerToken: 's3cret' }, 'Bearer s3cret'] },
  });
  logger.error('failed', bad);
  const text = lines.join('');
  expect(text).not.toMatch(/s3cret|hunter2/);
  expect(text).toContain('postgres://app:[redacted]@db/x');
  expect(text).toContain('"host":"h"');
  expect(text).toContain('6 bytes');
});

test('a value that cannot be printed does not throw', () => {
  const { lines, logger } = capture('text');
  const loop: Record<string, unknown> = {};
  loop.self = loop;
  logger.info('loop', { loop });
  expect(lines[0]).toContain('loop="[unprintable]"');
});

test('errors are heard of by their phrases, and nothing else is', () => {
  const heard: string[] = [];
  const onError = (message: string) => void heard.push(message);
  const logger = createLogger({ format: 'json', verbosity: 2, write: () => undefined, onError });
  logger.info('a');
  logger.warn('b');
  logger.v(2)?.info('c');
  logger.with({ requestID: 'r1' }).error('quotas', new Error('gone'), { name: 'x' });
  expect(heard).toEqual(['quotas']);
});
