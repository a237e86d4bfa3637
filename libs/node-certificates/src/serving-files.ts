import { readFile } from 'node:fs/promises';
import { type Clock, FileWatch, type Logger } from '@orch/runtime';
import { ChangingPair } from './changing-pair.js';
import { type CertificatePair, checkPair, type PairSource } from './pair.js';

/** Milliseconds between looks at files, where no change of them is reported. */
const LOOK_MS = 60_000;

/** Files of a certificate, and who is told what. */
interface FileSettings {
  readonly certFile: string;
  readonly keyFile: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Follows a certificate in files that somebody else writes. While they do not fit together, the last pair is used.
 * @throws Error where they do not at the start
 */
export async function followedFiles(settings: FileSettings): Promise<PairSource> {
  const { certFile, keyFile, clock, logger } = settings;
  const changing = new ChangingPair(await readPair(settings));
  const onLook = async () => {
    try {
      changing.take(await readPair(settings));
    } catch (error) {
      logger.warn('the serving certificate stays: its files cannot be used', { err: (error as Error).message });
    }
  };
  const watch = new FileWatch({ files: [certFile, keyFile], onLook, everyMs: LOOK_MS, clock });
  return {
    pair: () => changing.pair(),
    onChange: (listener) => changing.onChange(listener),
    stop: async () => watch.close(),
  };
}

async function readPair({ certFile, keyFile }: FileSettings): Promise<CertificatePair> {
  const [cert, key] = await Promise.all([readFile(certFile, 'utf8'), readFile(keyFile, 'utf8')]);
  const pair = { cert, key };
  try {
    checkPair(pair);
  } catch (error) {
    throw new Error(`${certFile}, ${keyFile}: ${(error as Error).message}`);
  }
  return pair;
}
