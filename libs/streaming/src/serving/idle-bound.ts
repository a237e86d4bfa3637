import type { Socket } from 'node:net';

/** Closes a connection on which nothing has come or gone for so many milliseconds; 0 is no bound. */
export function boundIdleness(socket: Socket, idleMs: number): void {
  socket.setTimeout(idleMs, () => socket.destroy());
}
