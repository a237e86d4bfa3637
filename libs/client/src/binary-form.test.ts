import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type BinaryForm, jsonText } from './binary-form.js';
import { Client } from './client.js';
import { ApiError } from './errors.js';
import { answer, failure, ScriptedServer } from './testing/scripted-server.js';

const TYPE = 'application/vnd.test';
/** A form that is JSON behind a letter. */
const form: BinaryForm = {
  mediaType: TYPE,
  encode: (object) => (object.kind === 'Open' ? undefined : Buffer.from(`b${JSON.stringify(object)}`)),
  decode: (bytes) => {
    if (bytes[0] !== 0x62) throw new Error('no letter');
    return JSON.parse(bytes.subarray(1).toString());
  },
  decodeEvent: (frame) => JSON.parse(frame.toString()),
};
const things = { group: 'example.com', version: 'v1', resource: 'things', namespace: 'ns' };

let server: ScriptedServer;
let client: Client;
beforeAll(async () => {
  server = await ScriptedServer.start();
  client = new Client(server.connection, { form, qps: -1, maxRetries: 0 });
});
afterAll(async () => {
  await client.close();
  await server.stop();
});

const inForm = (code: number, object: object) => {
  server.requests.length = 0;
  server.script = (_request, response) =>
    void response.writeHead(code, { 'content-type': TYPE }).end(`b${JSON.stringify(object)}`);
};
const sent = () => {
  const [request] = server.requests;
  return [request?.headers.accept, request?.headers['content-type'], request?.body];
};

test('the form is requested before JSON, and bodies have it', async () => {
  inForm(200, { kind: 'Thing' });
  expect(await client.create(things, { kind: 'Thing' })).toEqual({ kind: 'Thing' });
  expect(sent()).toEqual([`${TYPE},application/json`, TYPE, 'b{"kind":"Thing"}']);
  inForm(200, { kind: 'Status' });
  await client.delete(things, 'a', { gracePeriodSeconds: 1 });
  expect(sent()[2]).toBe('b{"apiVersion":"v1","kind":"DeleteOptions","gracePeriodSeconds":1}');
});

test('objects without the form, and patches, are sent as JSON', async () => {
  inForm(200, { kind: 'Thing' });
  await client.update(things, { kind: 'Open', metadata: { name: 'a' } });
  expect(sent().slice(1)).toEqual(['application/json', '{"kind":"Open","metadata":{"name":"a"}}']);
  inForm(200, { kind: 'Thing' });
  await client.patch(things, 'a', 'merge', { x: 1 });
  expect(sent().slice(1)).toEqual(['application/merge-patch+json', '{"x":1}']);
});

test('answers in JSON are read as such, and raw requests get JSON', async () => {
  server.script = (_request, response) => answer(response, 200, { kind: 'Thing' });
  expect(await client.get(things, 'a')).toEqual({ kind: 'Thing' });
  server.requests.length = 0;
  await client.raw('GET', '/version');
  expect(sent()[0]).toBe('application/json');
});

test('errors in the form have their Status, and those that cannot be read have the code', async () => {
  inForm(404, failure(404, 'NotFound'));
  const error = await client.get(things, 'a').catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ApiError);
  expect((error as ApiError).reason).toBe('NotFound');
  server.script = (_request, response) => void response.writeHead(500, { 'content-type': TYPE }).end('?');
  await expect(client.get(things, 'a')).rejects.toMatchObject({ code: 500 });
});

test('who leaves a watch in the form after its first event closes the connection', async () => {
  const text = JSON.stringify({ type: 'ADDED', object: { kind: 'Thing' } });
  const head = Buffer.alloc(4);
  head.writeUInt32BE(text.length);
  let closed: Promise<unknown> = Promise.resolve();
  server.script = (_request, response) => {
    closed = once(response, 'close');
    response.writeHead(200, { 'content-type': `${TYPE};stream=watch` }).write(Buffer.concat([head, Buffer.from(text)]));
  };
  for await (const event of client.openWatch(things)) {
    expect(event).toEqual({ type: 'ADDED', object: { kind: 'Thing' } });
    break;
  }
  await closed;
});

test('integers of any size are written in JSON', () => {
  expect(jsonText({ a: [1, 2n ** 60n + 1n], b: 'x' })).toBe('{"a":[1,1152921504606846977],"b":"x"}');
});
