import { type ApiObject, namesOf } from '@orch/machinery';
import { ownersApart } from '@orch/resources';
import { listenerOf, openServer, type TestApi, type TestServer, testApi } from '@orch/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';

const BINARY = namesOf('orch').protobufMediaType;
const PATH = '/api/v1/namespaces/default/configmaps';

let api: TestApi;
let server: TestServer;
/** A body with the entries of three managers, and where they stand in it. */
let right: Buffer;
let owners: { readonly from: number; readonly to: number };

async function send(method: string, at: string, body: string | Buffer, type: string) {
  const headers = { accept: 'application/json', 'content-type': type };
  const answer = await server.ask(at, { method, headers, body });
  return { status: answer.status, value: JSON.parse(answer.body.toString()) };
}

beforeAll(async () => {
  api = await testApi();
  server = await openServer(listenerOf(api));
  for (const [manager, metadata] of [
    ['one', { name: 'a', labels: { x: 'y' } }],
    ['two', { name: 'a', labels: { x: 'y' }, annotations: { q: 'r' } }],
    ['three', { name: 'a', finalizers: ['example.com/f'] }],
  ] as const) {
    const said = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { [manager]: '1' } });
    await send('PATCH', `${PATH}/a?fieldManager=${manager}`, said, 'application/apply-patch+yaml');
  }
  right = (await server.ask(`${PATH}/a`, { headers: { accept: BINARY } })).body;
  owners = { from: right.indexOf('FieldsV1') - 60, to: right.lastIndexOf('FieldsV1') + 60 };
});
afterAll(async () => {
  await server.close();
  api.close();
});

const place = fc.nat().map((at) => owners.from + (at % (owners.to - owners.from)));
const byte = fc.oneof(fc.integer({ min: 0, max: 255 }), fc.constantFrom(...Buffer.from('{}":.,fkvi\\[]0')));
const spoilt = fc.array(fc.tuple(place, byte), { minLength: 1, maxLength: 4 }).map((changes) => {
  const bytes = Buffer.from(right);
  for (const [at, value] of changes) bytes[at] = value;
  return bytes;
});

const withoutOwners = ({ metadata, ...rest }: ApiObject): object => {
  const { managedFields: _owners, ...meta } = metadata ?? {};
  return { ...rest, metadata: meta };
};

it('a binary body that is spoilt where its owners stand is refused, or taken with an owner for each that there was', async () => {
  const before = JSON.parse(
    (await server.ask(`${PATH}/a`, { headers: { accept: 'application/json' } })).body.toString(),
  );
  const type = api.endpoint('configmaps').type;
  await fc.assert(
    fc.asyncProperty(spoilt, async (bytes) => {
      const { status, value } = await send('PUT', `${PATH}/a?dryRun=All&fieldManager=m`, bytes, BINARY);
      if (status !== 200) {
        expect([400, 404, 409, 422]).toContain(status);
        expect(value).toMatchObject({ kind: 'Status', status: 'Failure', code: status });
        return;
      }
      const left = value.metadata.managedFields.length;
      expect(left).toBeGreaterThan(0);
      const same = JSON.stringify(withoutOwners(value)) === JSON.stringify(withoutOwners(before));
      if (same) expect(left).toBe(before.metadata.managedFields.length);
    }),
    { numRuns: 300, seed: 12 },
  );
  const [row] = api.store.rows(type);
  const { body, owners: apart } = ownersApart.split(row?.body ?? Buffer.alloc(0));
  expect(apart && ownersApart.join(body, apart)).toEqual(row?.body);
});
