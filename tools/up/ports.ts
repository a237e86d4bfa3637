import { randomInt } from 'node:crypto';
import { createServer, type Server } from 'node:net';

/**
 * Range of the ports: below those that the kernel gives to outgoing connections (from 32,768 on Linux), one of which
 * might take the port of a server before it listens, or while it is being restarted.
 */
const LOWEST = 12_000;
const HIGHEST = 32_767;
/** Ports that a process takes for itself at a time, so that no other one finds them free meanwhile. */
const BLOCK = 64;
const ATTEMPTS = 100;

/** Returns distinct ports of loopback on which no process listens and that no other caller is given. */
export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  while (ports.length < count) ports.push(await freePort());
  return ports;
}

/** Returns a port of loopback on which no process listens and that no other caller is given. */
export async function freePort(): Promise<number> {
  for (;;) {
    if (ahead.length === 0) ahead = await claimBlock();
    const port = ahead.shift();
    const server = port === undefined ? undefined : await listen(port);
    if (port === undefined || server === undefined) continue;
    await new Promise<void>((resolve) => server.close(() => resolve()));
    return port;
  }
}

/** Ports of the last claimed block that have not been handed out. */
let ahead: number[] = [];

/** Claims a block by listening on its first port, which this process does until it ends. */
async function claimBlock(): Promise<number[]> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const first = LOWEST + BLOCK * randomInt(Math.floor((HIGHEST + 1 - LOWEST) / BLOCK));
    const server = await listen(first);
    if (server === undefined) continue;
    server.unref();
    return Array.from({ length: BLOCK - 1 }, (_, index) => first + 1 + index);
  }
  throw new Error(`no block of ${BLOCK} ports is free between ${LOWEST} and ${HIGHEST}`);
}

/** Undefined when the port cannot be had. */
function listen(port: number): Promise<Server | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}
