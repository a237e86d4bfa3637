import type { JsonValue } from '@orch/machinery';
import { listenerOf, openServer, type TestApi, type TestServer, testApi } from '@orch/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';

let api: TestApi;
let server: TestServer;
beforeEach(async () => {
  api = await testApi();
  server = await openServer(listenerOf(api));
});
afterEach(async () => {
  await server.close();
  api.close();
});

const PATH = '/apis/apiextensions.orch.io/v1/customresourcedefinitions';

/** A definition of which one default lies so deep, and holds so many values. */
const definition = (depth: number, values: number): string => {
  const value = '['.repeat(depth) + Array(values).fill('0').join(',') + ']'.repeat(depth);
  const schema = `{"type":"object","properties":{"a":{"x-kubernetes-preserve-unknown-fields":true,"default":${value}}}}`;
  const versions = `[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":${schema}}}]`;
  const names = '{"plural":"deeps","kind":"Deep"}';
  return `{"metadata":{"name":"deeps.x.io"},"spec":{"group":"x.io","scope":"Cluster","names":${names},"versions":${versions}}}`;
};

it.each([
  [5, 40_000, true],
  [900, 10, true],
  [900, 40_000, false],
])('indents what lies %i levels deep with %i values: %s', async (depth, values, indents) => {
  const headers = { 'Content-Type': 'application/json' };
  const plain = await server.ask(PATH, { method: 'POST', headers, body: definition(depth, values) });
  expect(plain.status, plain.body.toString().slice(0, 600)).toBe(201);
  const object = JSON.parse(plain.body.toString()) as JsonValue;
  const one = (await server.ask(`${PATH}/deeps.x.io?pretty=1`)).body.toString();
  const list = (await server.ask(`${PATH}?pretty=1`)).body.toString();
  expect(one).toBe(`${JSON.stringify(object, undefined, indents ? 2 : 0)}\n`);
  expect(JSON.parse(list)).toMatchObject({ items: [{ spec: (object as { spec: JsonValue }).spec }] });
  if (!indents) expect(list.length).toBeLessThan(2 * plain.body.length);
});

it('keeps the bytes of what is passed on as it came, of one object and in lists', async () => {
  const path = '/apis/apps/v1/namespaces/default/controllerrevisions';
  const body = '{"metadata":{"name":"a"},"revision":1,"data":{"b":{"10":1.0,"9":"x&y"},"a":1e3}}';
  const headers = { 'Content-Type': 'application/json' };
  expect((await server.ask(path, { method: 'POST', headers, body })).status).toBe(201);
  const data = ['"data": {', '  "b": {', '    "10": 1.0,', '    "9": "x\\u0026y"', '  },', '  "a": 1e3', '}'];
  for (const [target, indent] of [
    [`${path}/a?pretty=1`, '  '],
    [`${path}?pretty=1`, '      '],
  ] as const) {
    const text = (await server.ask(target)).body.toString();
    expect(text).toContain(data.join(`\n${indent}`));
  }
});
