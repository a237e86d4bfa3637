import { NO_REMOTE_DOCUMENTS, type RemoteDocuments, type RemoteVersion } from '@orch/discovery';
import { type Clock, systemClock } from '@orch/runtime';
import { Backoff } from '@orch/runtime/work';
import type { DiscoveredResources } from './discovered-resources.js';
import {
  type ExtensionDocuments,
  NO_OPENAPI,
  type ReadingOptions,
  readOpenApi,
  readResources,
} from './extension-documents.js';
import type { Extensions } from './extensions.js';
import { isAvailable } from './registration.js';
import type { RemoteRegistration } from './remote-registrations.js';

interface RemoteDiscoveryOptions extends ReadingOptions {
  readonly extensions: Pick<Extensions, 'of'>;
  readonly clock?: Clock;
}

/** Milliseconds between two fetches from a server that answers. */
const RELOOK_MS = 60_000;
/** Waits until a server that does not answer is asked again, milliseconds. */
const RETRY = { firstMs: 500, longestMs: RELOOK_MS };

/** A server, and the documents that it has sent. */
interface Source {
  registrations: readonly RemoteRegistration[];
  documents?: ExtensionDocuments;
  /** Whether the last fetch succeeded. */
  isFresh: boolean;
  isAsked: boolean;
  /** Whether a registration has changed since the last fetch began. */
  isStale: boolean;
  readonly backoff: Backoff;
  cancelNext: () => void;
}

/**
 * Caches the discovery and OpenAPI documents of other servers. They are fetched in the background, each server at its
 * own pace, so that no client's request waits for any of them.
 */
export class RemoteDiscovery {
  readonly #clock: Clock;
  readonly #sources = new Map<string, Source>();
  #documents: RemoteDocuments = NO_REMOTE_DOCUMENTS;
  #stopped = false;

  constructor(private readonly options: RemoteDiscoveryOptions) {
    this.#clock = options.clock ?? systemClock;
  }

  /** The cached documents; a new object whenever they change. */
  get documents(): RemoteDocuments {
    return this.#documents;
  }

  /** These are registered now. */
  follow(registrations: Iterable<RemoteRegistration>): void {
    const byServer = new Map<string, RemoteRegistration[]>();
    for (const each of registrations) {
      const key = JSON.stringify([each.service, each.caBundle, each.insecureSkipTLSVerify]);
      byServer.set(key, [...(byServer.get(key) ?? []), each]);
    }
    for (const [key, source] of this.#sources) {
      if (byServer.has(key)) continue;
      source.cancelNext();
      this.#sources.delete(key);
    }
    for (const [key, those] of byServer) this.#take(key, those);
    this.#publish();
  }

  /** Starts no further fetches. */
  stop(): void {
    this.#stopped = true;
    for (const { cancelNext } of this.#sources.values()) cancelNext();
  }

  #take(key: string, registrations: readonly RemoteRegistration[]): void {
    const known = this.#sources.get(key);
    if (known && isAlike(known.registrations, registrations)) {
      known.registrations = registrations;
      return;
    }
    const source: Source = known ?? {
      registrations,
      isFresh: false,
      isAsked: false,
      isStale: false,
      backoff: new Backoff(RETRY),
      cancelNext: () => undefined,
    };
    source.registrations = registrations;
    source.isStale = true;
    this.#sources.set(key, source);
    void this.#ask(source);
  }

  /** Never rejects. */
  async #ask(source: Source): Promise<void> {
    if (source.isAsked || this.#stopped) return;
    source.cancelNext();
    // Unavailable group-versions are not asked for: they must not hold up the others of their server.
    const available = source.registrations.filter(isAvailable);
    const [there] = available;
    // It is fetched when one becomes available.
    if (!there) return;
    source.isAsked = true;
    source.isStale = false;
    let pause = RELOOK_MS;
    try {
      const extension = this.options.extensions.of(there);
      const told = await readResources(extension, available, this.options);
      source.documents = { ...NO_OPENAPI, ...source.documents, resources: resourcesOf(source, told) };
      source.isFresh = true;
      source.backoff.reset();
      // These may take long.
      if (this.#asks(source)) this.#publish();
      const openApi = await readOpenApi(extension, source.registrations, this.options, source.documents);
      source.documents = { ...source.documents, ...openApi };
    } catch (error) {
      this.options.onProblem?.(there.name, error);
      source.isFresh = false;
      pause = source.backoff.next();
    }
    source.isAsked = false;
    if (!this.#asks(source)) return;
    this.#publish();
    source.cancelNext = this.#clock.after(source.isStale ? 0 : pause, () => void this.#ask(source));
  }

  /** Whether the server is still registered. */
  #asks(source: Source): boolean {
    return !this.#stopped && [...this.#sources.values()].includes(source);
  }

  #publish(): void {
    const sources = [...this.#sources.values()];
    const next: RemoteDocuments = {
      versions: sources.flatMap((source) => source.registrations.map((each) => versionOf(each, source))),
      openApiV3: new Map(sources.flatMap(({ documents }) => [...(documents?.openApiV3 ?? [])])),
      openApiV2: sources.flatMap(({ documents }) => documents?.openApiV2 ?? []),
    };
    if (!isSame(next, this.#documents)) this.#documents = next;
  }
}

/** Returns the fetched resources of registrations; for unavailable ones those fetched last. */
function resourcesOf({ registrations, documents }: Source, told: DiscoveredResources): DiscoveredResources {
  const keys = registrations.map((each) => ({ key: `${each.group}/${each.version}`, isThere: isAvailable(each) }));
  return new Map(
    keys.flatMap(({ key, isThere }) => {
      const resources = told.get(key) ?? (isThere ? undefined : documents?.resources.get(key));
      return resources ? [[key, resources] as const] : [];
    }),
  );
}

function versionOf(registration: RemoteRegistration, { documents, isFresh }: Source): RemoteVersion {
  const { group, version, groupPriority, versionPriority } = registration;
  return {
    ...{ group, version, groupPriority, versionPriority },
    resources: documents?.resources.get(`${group}/${version}`) ?? [],
    freshness: isFresh && isAvailable(registration) ? 'Current' : 'Stale',
  };
}

/** Whether two states of a server's registrations are alike, so that it need not be asked again. */
const isAlike = (before: readonly RemoteRegistration[], now: readonly RemoteRegistration[]): boolean =>
  before.length === now.length &&
  before.every(
    (each, at) =>
      each.name === now[at]?.name && each.uid === now[at]?.uid && isAvailable(each) === isAvailable(now[at]),
  );

function isSame(a: RemoteDocuments, b: RemoteDocuments): boolean {
  const partsAlike =
    a.openApiV2.length === b.openApiV2.length && a.openApiV2.every((part, at) => part === b.openApiV2[at]);
  const rest = ({ versions, openApiV3 }: RemoteDocuments) => JSON.stringify([versions, [...openApiV3]]);
  return partsAlike && rest(a) === rest(b);
}
