import { Socket } from 'node:net';

/** Bytes that the system is asked for at a time. */
const READ_BYTES = 64 << 10;

/** The buffer of all sockets: bytes that one has read are in it for the length of one call. */
const SHARED = Buffer.allocUnsafeSlow(READ_BYTES);

/** Names of the members in which Node keeps the option `onread` of a socket. */
interface Members {
  readonly buffer: symbol;
  readonly callback: symbol;
}

/**
 * Node reads into a buffer of the program where a socket was made with the option `onread`, and has no such option for
 * sockets that servers accept. They are read so by the members that the option sets; undefined where there are none.
 */
const MEMBERS: Members | undefined = findMembers();

function findMembers(): Members | undefined {
  const callback = () => true;
  const socket = new Socket({ onread: { buffer: SHARED, callback } });
  const holderOf = (value: unknown) =>
    Object.getOwnPropertySymbols(socket).find((symbol) => Reflect.get(socket, symbol) === value);
  const members = { buffer: holderOf(SHARED), callback: holderOf(callback) };
  return members.buffer && members.callback ? { buffer: members.buffer, callback: members.callback } : undefined;
}

/**
 * Reads a connection as its bytes come. A stream makes a new buffer of each record of TLS: making them, and collecting
 * them, takes a third of the CPU of bytes that are only passed on.
 * @param take gets bytes that are valid until it returns
 * @returns whether they are read without buffers of their own, which depends on the version of Node
 */
export function readDirectly(from: Socket, take: (bytes: Buffer) => void): boolean {
  // What lies in the stream comes first.
  for (let bytes = from.read(); bytes !== null; bytes = from.read()) take(bytes);
  const isDirect = usesShared(from, take);
  if (!isDirect) from.on('data', take);
  from.resume();
  return isDirect;
}

function usesShared(from: Socket, take: (bytes: Buffer) => void): boolean {
  const handle: unknown = Reflect.get(from, '_handle');
  if (!MEMBERS || !canShare(handle) || !(MEMBERS.buffer in from)) return false;
  handle.useUserBuffer(SHARED);
  Reflect.set(from, MEMBERS.buffer, SHARED);
  Reflect.set(from, MEMBERS.callback, (length: number) => {
    take(SHARED.subarray(0, length));
    return true;
  });
  return true;
}

interface SharingHandle {
  useUserBuffer(buffer: Uint8Array): void;
}

const canShare = (handle: unknown): handle is SharingHandle =>
  typeof handle === 'object' && handle !== null && typeof Reflect.get(handle, 'useUserBuffer') === 'function';
