import { open } from 'node:fs/promises';
import { type Socket, SocketAddress } from 'node:net';
import { endianness } from 'node:os';

/** A TCP connection with sent data that its peer has not acknowledged so far. */
export interface UnansweredConnection {
  /** Name of the connection, see {@link connectionName}. */
  readonly name: string;
  /** How often the kernel has retransmitted, or probed a full window, since the peer was last heard from. */
  readonly attempts: number;
}

/** Identifies a connection: both ends, ours first. */
export const connectionName = (local: string, localPort: number, remote: string, remotePort: number): string =>
  `${local} ${localPort} ${remote} ${remotePort}`;

/** Returns the {@link connectionName} of a socket. */
export function nameOfSocket(socket: Socket): string {
  const { localPort = 0, remotePort = 0 } = socket;
  return connectionName(withoutZone(socket.localAddress), localPort, withoutZone(socket.remoteAddress), remotePort);
}

/** Removes the zone of a link-local address (RFC 4007), which the kernel's tables omit. */
const withoutZone = (address = ''): string => address.replace(/%.*/, '');

/** Bytes that a connection has still to send, or that its peer has not acknowledged. */
export interface SendQueue {
  /** Name of the connection, see {@link connectionName}. */
  readonly name: string;
  readonly bytes: number;
}

/** Files in which Linux lists the connections of the network namespace, IPv4 and IPv6 (proc_pid_net(5)). */
const TABLES = ['/proc/self/net/tcp', '/proc/self/net/tcp6'];

/**
 * A line: number, local and remote address, state, queues, timer (1: retransmission, 4: probe of a full window),
 * retransmissions (hexadecimal), user, probes (decimal).
 */
const LINE =
  /^ *\d+: ([0-9A-F]+):([0-9A-F]{4}) ([0-9A-F]+):([0-9A-F]{4}) [0-9A-F]{2} \S+ 0([14]):\S+ ([0-9A-F]{8}) +\d+ +(\d+) /;

/** Matches the same line, up to the bytes to be sent or acknowledged. */
const QUEUE = /^ *\d+: ([0-9A-F]+):([0-9A-F]{4}) ([0-9A-F]+):([0-9A-F]{4}) [0-9A-F]{2} ([0-9A-F]{8}):/;

/** The kernel returns no more of such a file per read. */
const READ_BYTES = 4096;

/**
 * Yields the connections with unacknowledged retransmissions or probes, as the kernel reports them now; none if there
 * are no such tables.
 */
export async function* unansweredConnections(tables = TABLES): AsyncGenerator<UnansweredConnection> {
  for await (const line of linesOf(tables)) {
    const connection = parse(line);
    if (connection !== undefined && connection.attempts > 0) yield connection;
  }
}

/** Reads the send queues of all connections from the kernel. Yields nothing if there are no such files. */
export async function* sendQueues(tables = TABLES): AsyncGenerator<SendQueue> {
  for await (const line of linesOf(tables)) {
    const [, local = '', localPort = '', remote = '', remotePort = '', bytes] = QUEUE.exec(line) ?? [];
    if (bytes === undefined) continue;
    const name = connectionName(addressOf(local), portOf(localPort), addressOf(remote), portOf(remotePort));
    yield { name, bytes: Number.parseInt(bytes, 16) };
  }
}

async function* linesOf(tables: readonly string[]): AsyncGenerator<string> {
  for (const table of tables) {
    const file = await openIfThere(table);
    if (file) yield* file.readLines({ encoding: 'latin1', highWaterMark: READ_BYTES });
  }
}

async function openIfThere(path: string) {
  try {
    return await open(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function parse(line: string): UnansweredConnection | undefined {
  const [, local = '', localPort = '', remote = '', remotePort = '', timer, sentAgain = '', probes] =
    LINE.exec(line) ?? [];
  if (timer === undefined) return undefined;
  return {
    name: connectionName(addressOf(local), portOf(localPort), addressOf(remote), portOf(remotePort)),
    attempts: timer === '1' ? Number.parseInt(sentAgain, 16) : Number(probes),
  };
}

const portOf = (hex: string): number => Number.parseInt(hex, 16);

/** Parses 32-bit words, each printed as a number in this machine's byte order. */
function addressOf(hex: string): string {
  const bytes = Buffer.from(hex, 'hex');
  if (endianness() === 'LE') bytes.swap32();
  if (bytes.length === 4) return bytes.join('.');
  const groups = Array.from({ length: 8 }, (_, i) => bytes.readUInt16BE(2 * i).toString(16));
  return new SocketAddress({ address: groups.join(':'), family: 'ipv6' }).address;
}
