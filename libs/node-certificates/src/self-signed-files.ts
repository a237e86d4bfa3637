import { join } from 'node:path';
import { commonNamesOf, selfSignedPair } from '@orch/authentication';
import { type Clock, type Logger, sleep } from '@orch/runtime';
import { ChangingPair } from './changing-pair.js';
import { type CertificatePair, checkPair, type PairSource, validityOf } from './pair.js';
import { readIfPresent, writeWholeFile } from './whole-file.js';

/** Milliseconds between looks at what is left of the certificate. */
const LOOK_MS = 3_600_000;
/** Part of its life that is left when a certificate is replaced. */
const LEAST_LEFT = 0.1;

/** Folder and name of a self-signed certificate. */
interface SelfSignedSettings {
  readonly certDir: string;
  readonly address: string;
  readonly node: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * A serving certificate that nobody vouches for, kept in a folder and used again until a tenth of its life is left.
 * @throws Error where it cannot be written
 */
export async function selfSignedFiles(settings: SelfSignedSettings): Promise<PairSource> {
  const { clock, logger } = settings;
  const changing = new ChangingPair(await keptOrNew(settings));
  const abort = new AbortController();
  const checked = (async () => {
    for (;;) {
      await sleep(clock, LOOK_MS, abort.signal);
      if (abort.signal.aborted) return;
      try {
        changing.take(await keptOrNew(settings));
      } catch (error) {
        logger.warn('the serving certificate cannot be replaced', { err: (error as Error).message });
      }
    }
  })();
  return {
    pair: () => changing.pair(),
    onChange: (listener) => changing.onChange(listener),
    stop: async () => {
      abort.abort();
      await checked;
    },
  };
}

async function keptOrNew({ certDir, address, node, clock, logger }: SelfSignedSettings): Promise<CertificatePair> {
  const [certFile, keyFile] = [join(certDir, 'node-agent.crt'), join(certDir, 'node-agent.key')];
  const [cert, key] = [await readIfPresent(certFile), await readIfPresent(keyFile)];
  if (cert !== undefined && key !== undefined && isGood({ cert, key }, node, clock.wall())) return { cert, key };
  const pair = await selfSignedPair(address, clock.wall(), node);
  await writeWholeFile(keyFile, pair.key);
  await writeWholeFile(certFile, pair.cert, 0o644);
  logger.info('the serving certificate is self-signed', { file: certFile });
  return pair;
}

function isGood(pair: CertificatePair, node: string, now: number): boolean {
  try {
    checkPair(pair);
  } catch {
    return false;
  }
  const { from, to } = validityOf(pair);
  return to - now > (to - from) * LEAST_LEFT && commonNamesOf(pair.cert).includes(node);
}
