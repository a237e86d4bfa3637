import type { Connection } from '@orch/client';
import { answer, ScriptedServer } from '@orch/client/testing';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { ReviewWebhook, type ReviewWebhookSettings } from './review-webhook.js';

let server: ScriptedServer;
beforeAll(async () => {
  server = await ScriptedServer.start();
});
afterAll(() => server.stop());
beforeEach(() => {
  server.requests.length = 0;
});

async function ask(connection: Partial<Connection> = {}, settings: Partial<ReviewWebhookSettings> = {}) {
  const webhook = new ReviewWebhook({
    connection: { ...server.connection, ...connection },
    firstWaitMs: 1,
    ...settings,
  });
  try {
    return await webhook.ask({ spec: { token: 's3cret' } });
  } finally {
    await webhook.close();
  }
}

it('is sent the review at exactly its path, with what it is to be shown', async () => {
  server.script = (_, response) => answer(response, 200, { status: {} });
  const { cert, key } = server.pki.admin;
  expect(await ask({ server: `${server.connection.server}/authenticate`, cert, key, token: 't' })).toEqual({
    status: {},
  });
  await ask({ basic: { username: 'u', password: 'p' } });
  expect(server.requests).toMatchObject([
    { method: 'POST', client: 'admin', body: '{"spec":{"token":"s3cret"}}', headers: { authorization: 'Bearer t' } },
    { headers: { authorization: `Basic ${Buffer.from('u:p').toString('base64')}` } },
  ]);
  expect(server.requests.map(({ url }) => url.pathname)).toEqual(['/authenticate', '/']);
});

it.each([429, 500, 504])('is asked again after %d, five times in all', async (code) => {
  server.script = (_, response) => answer(response, code, {});
  await expect(ask()).rejects.toThrow(`the server answered ${code}`);
  expect(server.requests).toHaveLength(5);
  server.requests.length = 0;
  server.sequence(
    (_, response) => answer(response, code, {}),
    (_, response) => answer(response, 200, { ok: true }),
  );
  expect(await ask()).toEqual({ ok: true });
});

it('is asked again when the connection is lost', async () => {
  server.sequence(
    (_, response) => response.destroy(),
    (_, response) => answer(response, 200, {}),
  );
  expect(await ask()).toEqual({});
});

it.each([301, 400, 401, 403, 404, 502, 503])('is not asked again after %d, and nobody follows it', async (code) => {
  server.script = ({ body }, response) => {
    response.setHeader('location', `${server.connection.server}/elsewhere`);
    answer(response, code, { message: body });
  };
  const failure = await ask().catch((error: Error) => error);
  expect(String(failure)).toContain(`the server answered ${code}`);
  expect(String(failure), 'what it repeats').not.toContain('s3cret');
  expect(server.requests).toHaveLength(1);
});

it.each<[string, string | undefined]>([
  ['not JSON', '<html>'],
  ['no object', '[]'],
  ['nothing', ''],
])('whose answer is %s has given none', async (_, text) => {
  server.script = (_request, response) => response.end(text);
  await expect(ask()).rejects.toThrow(/the answer is not/);
});

it('is not asked more at a time than is allowed', async () => {
  let [open, most] = [0, 0];
  server.script = (_, response) => {
    most = Math.max(most, ++open);
    setImmediate(() => {
      open--;
      answer(response, 200, {});
    });
  };
  const webhook = new ReviewWebhook({ connection: server.connection, maxCalls: 3 });
  await Promise.all(Array.from({ length: 30 }, () => webhook.ask({})));
  await webhook.close();
  expect(server.requests).toHaveLength(30);
  expect(most).toBeLessThanOrEqual(3);
});

it('that is too slow, too long, not there or not trusted has given none', async () => {
  server.script = () => undefined;
  await expect(ask({}, { timeoutMs: 50 })).rejects.toThrow('no answer within 50 ms');
  server.script = (_, response) => response.end('"'.padEnd(5_000, 'x'));
  await expect(ask({}, { maxAnswerBytes: 1_000 })).rejects.toThrow();
  await expect(ask({ server: 'https://127.0.0.1:1' })).rejects.toThrow('ECONNREFUSED');
  await expect(ask({ ca: server.pki.proxyCa.cert })).rejects.toThrow(/certificate/);
});

it('tells once of each question, however often it was put, whether it was answered', async () => {
  const reported: boolean[] = [];
  const onReview = (failed: boolean) => void reported.push(failed);
  server.sequence(
    (_, response) => answer(response, 500, {}),
    (_, response) => answer(response, 200, {}),
  );
  await ask({}, { onReview });
  await expect(ask({ server: 'https://127.0.0.1:1' }, { onReview })).rejects.toThrow('ECONNREFUSED');
  expect(reported).toEqual([false, true]);
});
