import { connect, isIP, type Socket } from 'node:net';
import { hostOf, portOf } from './choose-proxy.js';
import { proxyUser, type TunnelSettings } from './tunnel-settings.js';

const VERSION = 5;
const NO_AUTHENTICATION = 0;
const USER_AND_PASSWORD = 2;
const ADDRESS_BYTES: Readonly<Record<number, number>> = { 1: 4, 4: 16 };
const DOMAIN = 3;
const REFUSALS = [
  'succeeded',
  'general SOCKS server failure',
  'connection not allowed by ruleset',
  'network unreachable',
  'host unreachable',
  'connection refused',
  'TTL expired',
  'command not supported',
  'address type not supported',
];

/** Connects through a SOCKS 5 proxy (RFC 1928, 1929), which resolves the name itself. @throws Error */
export async function openSocks(proxy: URL, host: string, port: number, settings: TunnelSettings): Promise<Socket> {
  const socket = connect({ host: hostOf(proxy), port: portOf(proxy) });
  const timer = setTimeout(
    () => socket.destroy(new Error(`no connection within ${settings.timeoutMs} ms`)),
    settings.timeoutMs,
  );
  try {
    await shakeHands(socket, proxy);
    await askFor(socket, host, port);
    return socket;
  } catch (error) {
    socket.on('error', () => {}).destroy();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

async function shakeHands(socket: Socket, proxy: URL): Promise<void> {
  const known = proxyUser(proxy);
  const methods = known ? [NO_AUTHENTICATION, USER_AND_PASSWORD] : [NO_AUTHENTICATION];
  socket.write(Buffer.from([VERSION, methods.length, ...methods]));
  const [version, method] = await take(socket, 2);
  if (version !== VERSION) throw new Error('it does not speak SOCKS 5');
  if (method === NO_AUTHENTICATION) return;
  if (method !== USER_AND_PASSWORD || !known) throw new Error('it wants another way of authentication');
  socket.write(Buffer.concat([Buffer.from([1]), counted(known.user), counted(known.password)]));
  if ((await take(socket, 2))[1] !== 0) throw new Error('it refuses the user and password');
}

async function askFor(socket: Socket, host: string, port: number): Promise<void> {
  const ports = Buffer.from([port >> 8, port & 255]);
  socket.write(Buffer.concat([Buffer.from([VERSION, 1, 0]), address(host), ports]));
  const [, refusal = 1, , type = 0] = await take(socket, 4);
  if (refusal !== 0) throw new Error(REFUSALS[refusal] ?? `SOCKS error ${refusal}`);
  const bytes = type === DOMAIN ? ((await take(socket, 1))[0] ?? 0) : (ADDRESS_BYTES[type] ?? 0);
  await take(socket, bytes + 2);
}

function address(host: string): Buffer {
  if (isIP(host) === 4) return Buffer.from([1, ...host.split('.').map(Number)]);
  return isIP(host) === 6
    ? Buffer.from([4, ...ipv6Bytes(host)])
    : Buffer.concat([Buffer.from([DOMAIN]), counted(host)]);
}

function ipv6Bytes(host: string): number[] {
  const [front = [], back = []] = new URL(`http://[${host}]`).hostname
    .slice(1, -1)
    .split('::')
    .map((half) => half.split(':').filter(Boolean));
  const zeros = Array<string>(8 - front.length - back.length).fill('0');
  return [...front, ...zeros, ...back].flatMap((group) => [
    Number.parseInt(group, 16) >> 8,
    Number.parseInt(group, 16) & 255,
  ]);
}

/** @throws Error for more than 255 bytes */
function counted(text: string): Buffer {
  const bytes = Buffer.from(text);
  if (bytes.length > 255) throw new Error('a name, user or password is longer than 255 bytes');
  return Buffer.concat([Buffer.from([bytes.length]), bytes]);
}

/** Reads exactly this many bytes; later ones stay in the socket. */
async function take(socket: Socket, bytes: number): Promise<Buffer> {
  for (;;) {
    const piece: Buffer | null = socket.read(bytes);
    if (piece?.length === bytes) return piece;
    await new Promise<void>((resolve, reject) => {
      const done = (error?: Error) => {
        socket.off('readable', ready).off('error', done).off('end', ended).off('close', ended);
        if (error) reject(error);
        else resolve();
      };
      const ready = () => done();
      const ended = () => done(new Error('it closed the connection'));
      socket.on('readable', ready).on('error', done).on('end', ended).on('close', ended);
    });
  }
}
