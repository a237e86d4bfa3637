import type { Readable } from 'node:stream';
import { systemClock } from '@orch/runtime';

/** Bytes of an error of an agent that are read. */
const MAX_ERROR_BYTES = 50_000;

/** Milliseconds for the body of a refusal. */
export const REFUSAL_MS = 10_000;

/** Reads the text of an answer of an agent that is a refusal, as much of it as arrives in time. */
export async function refusalText(message: Readable): Promise<string> {
  const cancel = systemClock.after(REFUSAL_MS, () => message.destroy());
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of message as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= MAX_ERROR_BYTES) break;
    }
  } catch {
    // The agent has gone on the way, or its time is over: the text that has arrived is used.
  } finally {
    cancel();
  }
  return Buffer.concat(chunks).subarray(0, MAX_ERROR_BYTES).toString();
}
