import { badRequest, StatusError } from '@orch/machinery';
import type { Version } from '@orch/storage';

const MAX = 2n ** 63n - 1n;

/**
 * Parses a resourceVersion other than unset and `0`. @throws StatusError 400 for a text that no server could have
 * issued
 */
export function parseVersion(text: string): Version {
  if (!/^[1-9][0-9]{0,18}$/.test(text))
    throw badRequest(`Invalid value: ${JSON.stringify(text)}: not a resourceVersion`);
  const version = BigInt(text);
  if (version > MAX) throw badRequest(`Invalid value: ${JSON.stringify(text)}: not a resourceVersion`);
  return version;
}

/** Seconds after which a client that requested a future version may retry. */
const RETRY_SECONDS = 1;

/** 504 for a version that has not been reached (spec: "Unrecognized versions"). */
export const tooLargeVersion = (asked: Version, current: Version) =>
  new StatusError('Timeout', `Timeout: Too large resource version: ${asked}, current: ${current}`, {
    retryAfterSeconds: RETRY_SECONDS,
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
  });
