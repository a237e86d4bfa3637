import { once } from 'node:events';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { request as secureRequest } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { connect } from 'node:tls';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { rawExchange } from '../support/raw-exchange.js';
import { type Balanced, openBalanced } from './balanced.js';
import { OpenSsl } from './openssl.js';

const HOST = 'Host: localhost\r\n';
const CHUNKED = 'Transfer-Encoding: gzip, chunked\r\n';

let balanced: Balanced;
beforeAll(async () => {
  balanced = await openBalanced('nginx');
});
afterAll(() => balanced?.close());

test.each([
  ['a target that is too long', `GET /${'x'.repeat(70_000)} HTTP/1.1\r\n${HOST}\r\n`, 431],
  ['a header that is too long', `GET / HTTP/1.1\r\n${HOST}X: ${'x'.repeat(70_000)}\r\n\r\n`, 431],
  ['a target that is not well-formed', `GET /%zz HTTP/1.1\r\n${HOST}\r\n`, 400],
  ['two hosts', `GET / HTTP/1.1\r\n${HOST}${HOST}\r\n`, 400],
  ['TRACE', `TRACE / HTTP/1.1\r\n${HOST}\r\n`, 405],
  ['an unknown transfer coding', `POST / HTTP/1.1\r\n${HOST}${CHUNKED}\r\n`, 501],
  ['an unknown version', `GET / HTTP/3.0\r\n${HOST}\r\n`, 505],
])('%s is refused with a Status', async (_, sent, code) => {
  const said = await rawExchange({ url: `https://127.0.0.1:${balanced.port}`, ca: balanced.ca }, sent, 'end');
  expect(said).toMatch(new RegExp(`^HTTP/1\\.1 ${code} `));
  expect(JSON.parse(said.slice(said.indexOf('\r\n\r\n')))).toMatchObject({ kind: 'Status', status: 'Failure', code });
});

test('who does not speak TLS is told so', async () => {
  const body = await new Promise<string>((resolve, reject) => {
    const sent = request({ port: balanced.port, path: '/api', agent: false }, (answer) => resolve(text(answer)));
    sent.on('error', reject).end();
  });
  expect(JSON.parse(body)).toMatchObject({ kind: 'Status', code: 400, message: expect.stringContaining('HTTPS') });
});

test('an end that reads nothing is left to the servers, which end its watch after the five minutes of history', () => {
  const configuration = readFileSync(join(balanced.dir, 'nginx', 'orch.conf'), 'utf8');
  expect(configuration.match(/^ {2}send_timeout .*/gm)).toEqual(['  send_timeout 10m;']);
});

/** Has nginx load its configuration anew. */
function reload(): void {
  process.kill(Number(readFileSync(join(balanced.dir, 'nginx', 'nginx.pid'), 'utf8')), 'SIGHUP');
}

/** The serial number of the certificate that is shown. */
function shown(): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port: balanced.port, rejectUnauthorized: false });
    socket.once('error', reject).once('secureConnect', () => {
      resolve(socket.getPeerCertificate().serialNumber);
      socket.destroy();
    });
  });
}

test('a watch goes on while the configuration is loaded anew; with variables renewed certificates need not that', async () => {
  const { port, ca, dir } = balanced;
  const watch = secureRequest({ port, path: '/api/v1/pods?watch=1', ca, agent: false }).end();
  const [answer] = (await once(watch, 'response')) as [IncomingMessage];
  const ended = vi.fn();
  answer
    .on('error', () => undefined)
    .once('close', ended)
    .resume();
  const openSsl = new OpenSsl(mkdtempSync(join(dir, 'made-')));
  const authority = openSsl.authority('ca');
  const made = () => openSsl.leaf('tls', authority, { subject: '/CN=a', usage: 'serverAuth', hosts: 'DNS:localhost' });
  const file = join(dir, 'nginx', 'orch.conf');
  const { certFile, keyFile } = made();
  const maps = `map "" $orch_cert { default ${certFile}; }\nmap "" $orch_key { default ${keyFile}; }\n`;
  const changed = readFileSync(file, 'utf8')
    .replace(/(ssl_certificate +)\S+;/, '$1$orch_cert;')
    .replace(/(ssl_certificate_key +)\S+;/, '$1$orch_key;');
  const before = await shown();
  writeFileSync(file, maps + changed);
  reload();
  await expect.poll(shown).not.toBe(before);
  const first = await shown();
  made();
  await expect.poll(shown).not.toBe(first);
  expect(ended).not.toHaveBeenCalled();
  watch.destroy();
});
