import type { Socket } from 'node:net';
import { systemClock } from '../clock.js';

/**
 * Returns a function to call in front of each write to a connection: what is written in one turn of the event loop goes
 * out at once. TLS hands over each record by itself, and a write of each costs most of the CPU.
 */
export function gatherWrites(to: Socket): () => void {
  let isCorked = false;
  return () => {
    if (isCorked) return;
    isCorked = true;
    to.cork();
    systemClock.soon(() => {
      isCorked = false;
      to.uncork();
    });
  };
}
