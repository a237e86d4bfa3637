import type { IncomingMessage } from 'node:http';

/** Bytes of an error of an agent that are read. */
const MAX_ERROR_BYTES = 50_000;

/** Reads the text of an answer of an agent that is a refusal. */
export async function refusalText(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of message as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= MAX_ERROR_BYTES) break;
    }
  } catch {
    // The agent has gone on the way: the text that has arrived is used.
  }
  return Buffer.concat(chunks).subarray(0, MAX_ERROR_BYTES).toString();
}
