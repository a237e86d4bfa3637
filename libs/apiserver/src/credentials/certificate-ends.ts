import { certificatesOf } from '@orch/authentication';

/** Certificates of one file. */
export interface FileCertificates {
  /** What they are for, or the option that names the file. */
  readonly certificate: string;
  readonly file: string;
  readonly pem: string;
}

/** When the first certificate of a file ends. */
interface FileEnd {
  readonly certificate: string;
  readonly file: string;
  /** Seconds since 1970. */
  readonly end: number;
}

/** Knows when the certificates that a process goes by end, each file by the one that ends first. */
export class CertificateEnds {
  readonly #bySource = new Map<string, readonly FileEnd[]>();

  /** Replaces what a source has told before. Files without a certificate that can be read are left out. */
  tell(source: string, files: readonly FileCertificates[]): void {
    this.#bySource.set(source, files.flatMap(endOf));
  }

  /** Labels and value of each series. */
  series(): (readonly [readonly [certificate: string, file: string], number])[] {
    const earliest = new Map<string, FileEnd>();
    for (const found of [...this.#bySource.values()].flat()) {
      const key = JSON.stringify([found.certificate, found.file]);
      if (found.end < (earliest.get(key)?.end ?? Number.POSITIVE_INFINITY)) earliest.set(key, found);
    }
    return [...earliest.values()].map(({ certificate, file, end }) => [[certificate, file], end]);
  }
}

function endOf({ certificate, file, pem }: FileCertificates): FileEnd[] {
  try {
    const ends = certificatesOf(pem).map(({ validTo }) => Date.parse(validTo) / 1000);
    return [{ certificate, file, end: Math.min(...ends) }];
  } catch {
    return [];
  }
}
