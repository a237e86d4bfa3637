import { readableCertificatesOf } from '@orch/authentication';
import type { CredentialOptions, CredentialSet } from '@orch/credentials';
import { type ApiObject, type JsonObject, StatusError } from '@orch/machinery';
import type { ObjectReader } from '@orch/reading';
import { fromStored } from '@orch/resources';
import type { Clock } from '@orch/runtime';
import { WorkOnDemand } from '@orch/runtime/work';
import { serverItself, type UpdateTarget } from '@orch/writing';

/** ConfigMap from which extension servers read which client certificates and headers to trust. */
const KEY = { namespace: 'kube-system', name: 'extension-apiserver-authentication' };

/** Milliseconds between two checks that the ConfigMap is still up to date. */
const LOOK_MS = 60_000;
const RETRY_MS = 1_000;

/** The part of this process's credentials that is published. */
interface PublishedTrust extends Pick<CredentialSet, 'authorities'> {
  /** Headers in which front proxies name the user, as the options say. */
  readonly requestHeaders: RequestHeaderOptions;
}

/** The options that name the headers of front proxies. */
export type RequestHeaderOptions = Pick<
  CredentialOptions,
  'requestheaderUsernameHeaders' | 'requestheaderGroupHeaders' | 'requestheaderExtraHeadersPrefix'
>;

interface AuthenticationConfigOptions extends UpdateTarget {
  readonly reader: Pick<ObjectReader, 'current'>;
  /** Returns the current credentials. */
  trust(): PublishedTrust;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly onError: (error: unknown) => void;
  readonly clock?: Clock;
}

/**
 * Maintains the ConfigMap that names to extension servers the authorities of client certificates that are trusted, and
 * the headers that name the user. Every process adds what it trusts itself: others may have other files.
 */
export class AuthenticationConfig {
  readonly #work: WorkOnDemand;

  constructor(private readonly options: AuthenticationConfigOptions) {
    const { onError, clock } = options;
    this.#work = new WorkOnDemand(() => this.#round(), { onError, ...(clock && { clock }) });
  }

  /**
   * Brings the ConfigMap up to date in the background; to be called at the start, and when the trusted authorities
   * change.
   */
  publish(): void {
    this.#work.ask();
  }

  /** Stops; resolves when the round in progress has ended. */
  stop(): Promise<void> {
    return this.#work.stop();
  }

  async #round(): Promise<void> {
    const { reader, endpoint } = this.options;
    const stored = await reader.current(endpoint.type, KEY);
    const isDone = stored ? await this.#addTo(fromStored(stored, endpoint)) : await this.#write('CREATE');
    this.#work.askIn(isDone ? LOOK_MS : RETRY_MS);
  }

  async #addTo(config: ApiObject): Promise<boolean> {
    const { data = {} } = config as { data?: Record<string, string> };
    return isAlike(data, this.#combined(data)) || this.#write('UPDATE');
  }

  /** @returns whether it was written */
  async #write(operation: 'CREATE' | 'UPDATE'): Promise<boolean> {
    const { pipeline, endpoint } = this.options;
    const own = { endpoint, key: KEY, subresource: '', caller: serverItself(), options: { dryRun: false } } as const;
    try {
      if (operation === 'CREATE') await pipeline.write({ ...own, operation }, { create: () => this.#made() });
      else
        await pipeline.write(
          { ...own, operation, changeKind: 'internal' },
          {
            change: (current) => ({ ...current, data: this.#combined((current.data ?? {}) as Record<string, string>) }),
          },
        );
      return true;
    } catch (error) {
      // Another server has created or deleted it meanwhile, or the namespace does not exist yet.
      if (error instanceof StatusError && (error.code === 409 || error.code === 404)) return false;
      throw error;
    }
  }

  #made(): ApiObject & JsonObject {
    return { metadata: { ...KEY }, data: this.#combined({}) };
  }

  #combined(data: Readonly<Record<string, string>>): Record<string, string> {
    const { trust, now } = this.options;
    return combinedTrust(data, trust(), now());
  }
}

/**
 * Returns the data of the ConfigMap with a process's own trust added, and without expired certificates.
 * @param now milliseconds since 1970
 */
export function combinedTrust(
  data: Readonly<Record<string, string>>,
  { authorities, requestHeaders }: PublishedTrust,
  now: number,
): Record<string, string> {
  const bundle = (key: string, own: string) => ({ [key]: joinedCertificates([data[key] ?? '', own], now) });
  const list = (key: string, own: readonly string[]) => ({
    [key]: JSON.stringify([...new Set([...listOf(data[key]), ...own])]),
  });
  const all: Record<string, string> = {
    ...data,
    ...bundle('client-ca-file', authorities.clients),
    ...bundle('requestheader-client-ca-file', authorities.proxies),
    ...list('requestheader-allowed-names', authorities.proxyNames),
    ...list('requestheader-username-headers', requestHeaders.requestheaderUsernameHeaders),
    ...list('requestheader-group-headers', requestHeaders.requestheaderGroupHeaders),
    ...list('requestheader-extra-headers-prefix', requestHeaders.requestheaderExtraHeadersPrefix),
  };
  return Object.fromEntries(Object.entries(all).filter(([, text]) => text !== ''));
}

/** Each certificate once; what cannot be read is left out. */
function joinedCertificates(bundles: readonly string[], now: number): string {
  const found = bundles.flatMap(readableCertificatesOf).filter(({ validTo }) => Date.parse(validTo) > now);
  return [...new Set(found.map((certificate) => certificate.toString()))].join('');
}

function listOf(text: string | undefined): string[] {
  try {
    const value: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
  } catch {
    return [];
  }
}

const isAlike = (a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): boolean =>
  Object.keys(a).length === Object.keys(b).length && Object.entries(b).every(([key, value]) => a[key] === value);
