import { connect, type TLSSocket } from 'node:tls';
import type { ApiSettings } from './api.js';

/** A connection that has asked for another protocol, as a client sees it. */
export interface Upgraded {
  readonly status: number;
  /** Lines of the head behind the first. */
  readonly headers: readonly string[];
  /** The raw connection behind the head. */
  readonly socket: TLSSocket;
  /** Reads until so many bytes are there, or the connection ends; what is there then. */
  read(bytes?: number): Promise<string>;
}

/** Headers with which kubectl asks for SPDY. */
export const SPDY: Readonly<Record<string, string>> = {
  Connection: 'Upgrade',
  Upgrade: 'SPDY/3.1',
  'Content-Length': '0',
};

/** Asks for another protocol on a connection of its own, which `connected` gets at once. */
export async function openUpgraded(
  { url, ca, token }: ApiSettings,
  method: string,
  path: string,
  headers: Readonly<Record<string, string | readonly string[]>> = SPDY,
  connected: (socket: TLSSocket) => void = () => undefined,
): Promise<Upgraded> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), ...(ca !== undefined && { ca }) });
  socket.on('error', () => undefined);
  connected(socket);
  const lines = Object.entries({ Host: `${hostname}:${port}`, Authorization: `Bearer ${token}`, ...headers }).flatMap(
    ([name, values]) => [values].flat().map((value) => `${name}: ${value}`),
  );
  socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
  const { promise, take, read } = reader(socket);
  await promise((text) => text.includes('\r\n\r\n'));
  const [first = '', ...rest] = take().split('\r\n');
  return { status: Number(first.split(' ')[1]), headers: rest, socket, read };
}

function reader(socket: TLSSocket) {
  let text = '';
  let isOver = false;
  let wake: () => void = () => undefined;
  socket.setEncoding('latin1');
  const take = (more: string): void => {
    text += more;
    wake();
  };
  const over = (): void => {
    isOver = true;
    wake();
  };
  socket.on('data', take).once('end', over).once('close', over);
  const promise = async (isEnough: (text: string) => boolean): Promise<void> => {
    while (!isEnough(text) && !isOver)
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
  };
  return {
    promise,
    /** The head; what follows stays. */
    take(): string {
      const end = text.indexOf('\r\n\r\n');
      const head = end < 0 ? text : text.slice(0, end);
      text = end < 0 ? '' : text.slice(end + 4);
      return head;
    },
    async read(bytes = Number.POSITIVE_INFINITY): Promise<string> {
      await promise((all) => all.length >= bytes);
      const got = bytes === Number.POSITIVE_INFINITY ? text : text.slice(0, bytes);
      text = text.slice(got.length);
      return got;
    },
  };
}
