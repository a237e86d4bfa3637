import { mkdtempSync, rmSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Manifest, render } from './helm.js';
import { BundledNats, natsVariables } from './rotation/bundled-nats.js';

let dir: string;
let nats: BundledNats | undefined;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'nats-passwords-'));
});
afterEach(async () => {
  await nats?.stop();
  rmSync(dir, { recursive: true });
});

const named = (objects: readonly Manifest[], kind: string) =>
  objects.find((object) => object.kind === kind && object.metadata.name === 'orch-nats') as Manifest;

/** Answer of NATS to a user with a password. */
function answerTo(port: number, user: string, pass: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = createConnection({ host: '127.0.0.1', port });
    let text = '';
    socket.on('error', reject);
    socket.on('data', (data) => {
      if (text === '') socket.write(`CONNECT ${JSON.stringify({ verbose: false, user, pass })}\r\nPING\r\n`);
      text += data;
      const [, answer] = text.split('\r\n');
      if (answer === undefined || answer === '') return;
      socket.destroy();
      resolve(answer);
    });
  });
}

test.each([
  ['5e3c9a', 'hunter2'],
  ['123456', 'true'],
  ['a#b', 'a b'],
  ['$2y', '{x'],
  ['a"b\\n', '"q"'],
])('a bundled NATS has the passwords of the Secrets, whatever they look like: %s %s', async (server, gateway) => {
  const { objects } = render(
    'values',
    '--set=nats.bundled.replicas=1,nats.auth.secret=server,nats.auth.gatewaySecret=gateway',
  );
  const { env } = named(objects, 'StatefulSet').spec.template.spec.containers[0];
  const passwords: Record<string, string> = { server, gateway };
  nats = await BundledNats.create(dir, () => natsVariables(env, (name) => ({ password: passwords[name] ?? '' })));
  await nats.apply(named(objects, 'ConfigMap').data['nats.conf'], 1);
  const port = nats.running[0]?.client ?? 0;
  expect(await answerTo(port, 'orch', server)).toBe('PONG');
  expect(await answerTo(port, 'orch_gateway', gateway)).toBe('PONG');
  expect(await answerTo(port, 'orch', gateway)).toMatch(/^-ERR/);
});
