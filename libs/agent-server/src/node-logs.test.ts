import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, get, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StatusError } from '@orch/machinery';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { sendNodeLog } from './node-logs.js';

let dir = '';
let server: Server;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'node-logs-'));
  await mkdir(join(dir, 'log/sub'), { recursive: true });
  await writeFile(join(dir, 'log/a.log'), 'of a');
  await writeFile(join(dir, 'log/empty'), '');
  await writeFile(join(dir, 'secret'), 'hidden');
  server = createServer((request, response) => {
    sendNodeLog(join(dir, 'log'), decodeURIComponent((request.url ?? '').slice(1)), response).catch((error) => {
      response.writeHead(error instanceof StatusError ? error.code : 500).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  server.close();
  await rm(dir, { recursive: true });
});

const ask = (path: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const { port } = server.address() as AddressInfo;
    get({ host: '127.0.0.1', port, path: `/${path}`, agent: false }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        body += part;
      });
      response.on('end', () => resolve(`${response.statusCode} ${body}`));
    }).on('error', reject);
  });

it('sends files, and lists of folders', async () => {
  expect(await ask('a.log')).toBe('200 of a');
  expect(await ask('empty')).toBe('200 ');
  expect(await ask('')).toContain('<a href="sub/">sub/</a>');
});

it('sends nothing that is no file of the folder: others, links that lead out, pipes', async () => {
  await symlink(join(dir, 'secret'), join(dir, 'log/link'));
  await symlink('a.log', join(dir, 'log/inner'));
  execFileSync('mkfifo', [join(dir, 'log/pipe')]);
  for (const path of ['none', 'link', 'pipe', '..%2Fsecret', 'a.log%2F..%2F..%2Fsecret'])
    expect(await ask(path)).toBe('404 ');
  expect(await ask('inner')).toBe('200 of a');
});

it('sends nothing else while somebody puts links in the place of a file', async () => {
  await symlink(join(dir, 'secret'), join(dir, 'outside'));
  let isOver = false;
  const swapping = (async () => {
    while (!isOver) {
      await rename(join(dir, 'log/a.log'), join(dir, 'kept'));
      await rename(join(dir, 'outside'), join(dir, 'log/a.log'));
      await rename(join(dir, 'log/a.log'), join(dir, 'outside'));
      await rename(join(dir, 'kept'), join(dir, 'log/a.log'));
    }
  })();
  const answers = new Set<string>();
  for (let round = 0; round < 300; round++) answers.add(await ask('a.log'));
  isOver = true;
  await swapping;
  expect([...answers].filter((answer) => answer !== '404 ' && answer !== '200 of a')).toEqual([]);
});

it('leaves no file open', async () => {
  const before = (await readdir('/proc/self/fd')).length;
  for (let round = 0; round < 20; round++) await ask(round % 2 === 0 ? 'a.log' : 'none');
  expect((await readdir('/proc/self/fd')).length).toBeLessThan(before + 10);
});
