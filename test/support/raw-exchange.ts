import { connect } from 'node:tls';

/**
 * What a server says to bytes over TLS; empty when it just hangs up.
 * @param until the head of the first answer, or all that comes until the connection is closed
 */
export function rawExchange(
  { url, ca }: { readonly url: string; readonly ca?: string | undefined },
  bytes: string,
  until: 'head' | 'end' = 'head',
): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port), ...(ca !== undefined && { ca }) });
    let text = '';
    const done = (): void => {
      socket.destroy();
      resolve(text);
    };
    socket.once('secureConnect', () => socket.write(Buffer.from(bytes, 'latin1')));
    socket.on('data', (piece) => {
      text += piece.toString('latin1');
      if (until === 'head' && text.includes('\r\n\r\n')) done();
    });
    socket.once('error', done);
    socket.once('close', done);
  });
}
