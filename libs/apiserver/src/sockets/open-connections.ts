import type { Server, Socket } from 'node:net';

/** Every connection of servers, whatever is spoken on it. */
export class OpenConnections {
  readonly #open = new Set<Socket>();

  follow(server: Server): void {
    server.on('connection', (socket: Socket) => {
      this.#open.add(socket);
      socket.once('close', () => this.#open.delete(socket));
    });
  }

  /** Cuts all of them. */
  cut(): void {
    for (const socket of this.#open) socket.destroy();
  }
}
