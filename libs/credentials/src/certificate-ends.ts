import type { X509Certificate } from 'node:crypto';
import { readableCertificatesOf } from '@orch/authentication';

/** Seconds for which a root that has ended still counts beside others that last: as long as alerts announced its end before. */
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

/** When the certificates of a file end. */
interface FileEnds extends Pick<FileCertificates, 'certificate' | 'file'> {
  /** Seconds since 1970; at least one. */
  readonly ends: readonly number[];
  /** Whether all of them are roots: each is believed by itself, and none needs the others. */
  readonly areRoots: boolean;
}

/** Tracks when the certificates of a process expire; of each file the one that expires first. */
export class CertificateEnds {
  readonly #bySource = new Map<string, readonly FileEnds[]>();
  readonly #looks: (() => readonly FileCertificates[])[] = [];
  /** Certificates of the last look, by everything that was read. */
  #seen = new Map<string, readonly FileEnds[]>();

  /** @param now milliseconds since 1970 */
  constructor(private readonly now: () => number = Date.now) {}

  /** Replaces the files of a source. Certificates that cannot be read are left out. */
  tell(source: string, files: readonly FileCertificates[]): void {
    this.#bySource.set(source, files.flatMap(endsOf));
  }

  /** Adds a source that is read whenever the metric is. */
  look(source: () => readonly FileCertificates[]): void {
    this.#looks.push(source);
  }

  /** Reads the sources; certificates that were there at the last look are not parsed again. */
  #looked(): FileEnds[] {
    const seen = new Map<string, readonly FileEnds[]>();
    for (const found of this.#looks.flatMap((source) => source())) {
      const key = JSON.stringify([found.certificate, found.file, found.pem]);
      seen.set(key, this.#seen.get(key) ?? endsOf(found));
    }
    this.#seen = seen;
    return [...seen.values()].flat();
  }

  /** Returns labels and value of each series; the value in seconds since 1970. */
  series(): (readonly [readonly [certificate: string, file: string], number])[] {
    const earliest = new Map<string, readonly [readonly [certificate: string, file: string], number]>();
    const forgotten = this.now() / 1000 - REMEMBERED_SECONDS;
    for (const found of [...[...this.#bySource.values()].flat(), ...this.#looked()]) {
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

function endsOf({ certificate, file, pem }: FileCertificates): FileEnds[] {
  const found = readableCertificatesOf(pem);
  if (found.length === 0) return [];
  const ends = found.map(({ validTo }) => Date.parse(validTo) / 1000);
  return [{ certificate, file, ends, areRoots: found.every(isRoot) }];
}

const isRoot = ({ issuer, subject }: X509Certificate): boolean => issuer === subject;
