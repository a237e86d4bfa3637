import type { CertificateEnds } from '@orch/credentials';
import { type Clock, FileWatch } from '@orch/runtime';
import type { CertificateSource, NamedCertificates } from './certificate-sources.js';

/** Interval at which followed files are read though no change was notified, ms. */
const CHECK_MS = 60_000;

interface CertificateLooksSettings {
  readonly sources: readonly CertificateSource[];
  readonly ends: Pick<CertificateEnds, 'replace'>;
  /** Default: the machine's. */
  readonly clock?: Clock;
}

/** Reports the certificates in the files that options name, at the start and whenever followed ones change. */
export class CertificateLooks {
  readonly #watch: FileWatch | undefined;

  private constructor(
    private readonly settings: CertificateLooksSettings,
    private readonly known: Map<string, readonly NamedCertificates[]>,
  ) {
    const files = [...known.values()].flat().flatMap(({ file, isFollowed }) => (isFollowed ? [file] : []));
    const { clock } = settings;
    if (files.length > 0)
      this.#watch = new FileWatch({ files, onLook: () => this.#look(), everyMs: CHECK_MS, ...(clock && { clock }) });
  }

  /** Reads all files; those that cannot be read are left out, as the components that use them report that. */
  static async open(settings: CertificateLooksSettings): Promise<CertificateLooks> {
    const known = new Map<string, readonly NamedCertificates[]>();
    for (const source of settings.sources) {
      const found = await source.read().catch(() => []);
      known.set(source.name, found);
      settings.ends.replace(source.name, found);
    }
    return new CertificateLooks(settings, known);
  }

  /** Stops following the files. */
  close(): void {
    this.#watch?.close();
  }

  /**
   * Replaces followed certificates where they can be read; the rest stays as at the start, as it does for its users.
   */
  async #look(): Promise<void> {
    for (const { name, read } of this.settings.sources) {
      const before = this.known.get(name) ?? [];
      if (!before.some(isFollowed)) continue;
      const found = await read().catch(() => undefined);
      if (found === undefined) continue;
      const next = [...before.filter((each) => !isFollowed(each)), ...found.filter(isFollowed)];
      this.known.set(name, next);
      this.settings.ends.replace(name, next);
    }
  }
}

const isFollowed = ({ isFollowed }: NamedCertificates): boolean => isFollowed;
