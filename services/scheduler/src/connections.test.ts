import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeKubeconfig } from '@orch/client';
import { namesOf } from '@orch/machinery';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { connectionsOf } from './connections.js';

const names = namesOf('kubernetes');
const NONE = {
  kubeconfig: undefined,
  master: undefined,
  authenticationKubeconfig: undefined,
  authorizationKubeconfig: undefined,
};
let dir: string;
const file = (name: string) => join(dir, name);
const tokens = ({ own, authentication, authorization }: Awaited<ReturnType<typeof connectionsOf>>) =>
  [own, authentication, authorization].map(({ token }) => token);

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'scheduler-connections-'));
  for (const name of ['a', 'b', 'c'])
    await writeKubeconfig(file(name), { server: `https://${name}.example:6443`, token: name });
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

it('has one connection for everything, that of the configuration before that of the option', async () => {
  const options = { ...NONE, kubeconfig: file('a') };
  expect(tokens(await connectionsOf(options, '', names))).toEqual(['a', 'a', 'a']);
  expect(tokens(await connectionsOf(options, file('b'), names))).toEqual(['b', 'b', 'b']);
});

it('asks about callers on connections of their own', async () => {
  const options = {
    ...{ ...NONE, kubeconfig: file('a') },
    ...{ authenticationKubeconfig: file('b'), authorizationKubeconfig: file('c') },
  };
  expect(tokens(await connectionsOf(options, '', names))).toEqual(['a', 'b', 'c']);
});

it('has another address with the credentials of the file, and the address alone without one', async () => {
  const options = { ...NONE, master: 'https://127.0.0.1:1' };
  const { own } = await connectionsOf({ ...options, kubeconfig: file('a') }, '', names);
  expect(own).toMatchObject({ server: 'https://127.0.0.1:1', token: 'a' });
  expect((await connectionsOf(options, '', names)).own).toEqual({ server: 'https://127.0.0.1:1' });
});
