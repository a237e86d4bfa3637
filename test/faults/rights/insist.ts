import { setTimeout as pause } from 'node:timers/promises';
import type { Answer } from '../../support/api.js';

const PATIENCE_MS = 60_000;
const AGAIN_MS = 50;

/**
 * Asks until a server decides: a busy machine may answer with 503 meanwhile. Only for what may be done twice.
 * @throws Error when that takes a minute
 */
export async function insist(ask: () => Promise<Answer>): Promise<Answer> {
  const until = performance.now() + PATIENCE_MS;
  for (;;) {
    const answer = await ask().catch((error: Error) => error);
    if (!(answer instanceof Error) && answer.status < 500 && answer.status !== 429) return answer;
    if (performance.now() > until)
      throw answer instanceof Error ? answer : new Error(`${answer.status} ${answer.text}`);
    await pause(AGAIN_MS);
  }
}
