import { connect } from 'node:net';
import { RuntimeError } from '../runtime-error.js';

/** Connects to a port of this machine. @param ports those that were requested; empty for any @throws RuntimeError */
export function connectTo(port: number, ports: readonly number[]): Promise<ReturnType<typeof connect>> {
  return new Promise((resolve, reject) => {
    if (ports.length > 0 && !ports.includes(port))
      return reject(new RuntimeError('InvalidArgument', `port ${port} was not requested`));
    const socket = connect(port, '127.0.0.1', () => resolve(socket));
    socket.once('error', (cause) => reject(new RuntimeError('Unavailable', cause.message, { cause })));
  });
}
