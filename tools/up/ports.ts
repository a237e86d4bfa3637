import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Where ports are looked for: below those that the kernel gives to outgoing connections (from 32,768 on Linux), one of which
 * might take the port of a server before it listens, or while it is being restarted.
 */
const LOWEST = 12_000;
const HIGHEST = 32_767;
const ATTEMPTS = 100;

/** Ports of loopback that nobody listened on a moment ago; all differ from each other. */
export async function freePorts(count: number): Promise<number[]> {
  const held: Listening[] = [];
  for (let attempt = 0; held.length < count && attempt < count + ATTEMPTS; attempt++) {
    const listening = await listen(randomInt(LOWEST, HIGHEST + 1));
    if (listening !== undefined) held.push(listening);
  }
  await Promise.all(held.map(({ close }) => close()));
  if (held.length < count) throw new Error(`no ${count} free ports between ${LOWEST} and ${HIGHEST}`);
  return held.map(({ port }) => port);
}

export async function freePort(): Promise<number> {
  const [port] = await freePorts(1);
  if (port === undefined) throw new Error('no free port');
  return port;
}

interface Listening {
  readonly port: number;
  close(): Promise<void>;
}

/** Undefined when the port cannot be had. */
function listen(port: number): Promise<Listening | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen(port, '127.0.0.1', () => {
      resolve({ port, close: () => new Promise<void>((done) => server.close(() => done())) });
    });
  });
}
