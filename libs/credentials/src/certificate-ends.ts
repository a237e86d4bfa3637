import type { X509Certificate } from 'node:crypto';
import { readableCertificatesOf } from '@orch/authentication';

/**
 * Seconds for which a root that has ended still counts beside others that last: as long as alerts announced its end
 * before.
 */
const REMEMBERED_SECONDS = 14 * 86_400;

/** Certificates of one file, or of a field of an object of the API. */
export interface FileCertificates {
  /** Use of the certificates, the first label of the metric: `serving`, `client-ca` and so on. */
  readonly certificate: string;
  /** Path of the file, or of the object. */
  readonly file: string;
  /** Contents of the file, PEM. */
  readonly pem: string;
}

/**
 * Characters of PEM that one reading parses at most, beyond which only the text begun is finished: some 400
 * certificates, 60 ms. Objects of the API may hold thousands, and a request for metrics would block all others.
 */
const MOST_PARSED = 256 * 1024;

/** When the certificates of a text end. */
interface Ends {
  /** Seconds since 1970; at least one. */
  readonly ends: readonly number[];
  /** Whether all of them are roots: each is trusted by itself, and none needs the others. */
  readonly areRoots: boolean;
}

/** When the certificates of a file end. */
interface FileEnds extends Ends, Pick<FileCertificates, 'certificate' | 'file'> {}

/** Tracks when the certificates of a process expire; of each file the one that expires first. */
export class CertificateEnds {
  readonly #bySource = new Map<string, readonly FileEnds[]>();
  readonly #sources: (() => readonly FileCertificates[])[] = [];
  /** Certificates of the last look, by the text that they were read from; undefined where it has none. */
  #seen = new Map<string, Ends | undefined>();

  /** @param now milliseconds since 1970 */
  constructor(private readonly now: () => number = Date.now) {}

  /** Replaces the files of a source. Certificates that cannot be read are left out. */
  replace(source: string, files: readonly FileCertificates[]): void {
    this.#bySource.set(
      source,
      files.flatMap((found) => within(found, endsOf(found.pem))),
    );
  }

  /** Adds a source that is read whenever the metric is; a source of many certificates over several times. */
  addSource(source: () => readonly FileCertificates[]): void {
    this.#sources.push(source);
  }

  /** Reads the sources; certificates that were there at the last look are not parsed again. */
  #readSources(): FileEnds[] {
    const seen = new Map<string, Ends | undefined>();
    let left = MOST_PARSED;
    const read = (pem: string) => {
      left -= pem.length;
      return endsOf(pem);
    };
    const found = this.#sources.flatMap((source) => source());
    for (const { pem } of found) {
      if (seen.has(pem)) continue;
      if (this.#seen.has(pem)) seen.set(pem, this.#seen.get(pem));
      else if (left > 0) seen.set(pem, read(pem));
    }
    this.#seen = seen;
    return found.flatMap((each) => within(each, seen.get(each.pem)));
  }

  /** Returns labels and value of each series; the value in seconds since 1970. */
  series(): (readonly [readonly [certificate: string, file: string], number])[] {
    const earliest = new Map<string, readonly [readonly [certificate: string, file: string], number]>();
    const forgotten = this.now() / 1000 - REMEMBERED_SECONDS;
    for (const found of [...[...this.#bySource.values()].flat(), ...this.#readSources()]) {
      const labels = [found.certificate, found.file] as const;
      const [key, end] = [JSON.stringify(labels), firstEnd(found, forgotten)];
      if (end < (earliest.get(key)?.[1] ?? Number.POSITIVE_INFINITY)) earliest.set(key, [labels, end]);
    }
    return [...earliest.values()];
  }
}

/** @param forgotten what ended before that does not count in a file of roots, unless all have */
function firstEnd({ ends, areRoots }: FileEnds, forgotten: number): number {
  const counted = areRoots ? ends.filter((end) => end > forgotten) : ends;
  return Math.min(...(counted.length > 0 ? counted : ends));
}

const within = ({ certificate, file }: FileCertificates, ends: Ends | undefined): FileEnds[] =>
  ends ? [{ certificate, file, ...ends }] : [];

function endsOf(pem: string): Ends | undefined {
  const found = readableCertificatesOf(pem);
  if (found.length === 0) return undefined;
  return { ends: found.map(({ validTo }) => Date.parse(validTo) / 1000), areRoots: found.every(isRoot) };
}

const isRoot = ({ issuer, subject }: X509Certificate): boolean => issuer === subject;
