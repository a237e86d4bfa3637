import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { systemClock } from '@orch/runtime';
import type { OutgoingConnections } from '@orch/serving';

/**
 * Connects with TLS.
 * @param limitMs milliseconds for that, the handshake included; 0 is no bound
 * @param connections detects peers that have vanished
 * @throws Error
 */
export function dial(
  options: ConnectionOptions,
  limitMs: number,
  connections: Pick<OutgoingConnections, 'keep'>,
): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connect(options);
    connections.keep(socket);
    const late = () => socket.destroy(new Error(`no connection within ${limitMs} ms`));
    const inTime = limitMs === 0 ? () => undefined : systemClock.after(limitMs, late);
    const closed = () => {
      inTime();
      reject(new Error('EOF'));
    };
    socket.once('error', reject).once('close', closed);
    socket.once('secureConnect', () => {
      inTime();
      socket.removeListener('error', reject).removeListener('close', closed);
      resolve(socket);
    });
  });
}
