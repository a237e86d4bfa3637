import { createHash } from 'node:crypto';
import { type OpenApiV2Part, partOf } from '@orch/discovery';
import type { Names } from '@orch/machinery';
import { inSlices, turnFor } from '@orch/runtime/work';
import { encodeOpenApiV2Protobuf } from '@orch/schema/openapi';
import { type DiscoveredResources, readGroupDiscovery, readResourceList } from './discovered-resources.js';
import { type Fetched, fetchFrom } from './extension-client.js';
import type { Extension } from './forward.js';

/** A group-version that a server answers for. */
interface ServedVersion {
  readonly group: string;
  readonly version: string;
}

/** Documents of one server about the group-versions that it answers for. */
export interface ExtensionDocuments {
  /** Discovery of its group-versions. */
  readonly resources: DiscoveredResources;
  /** Paths of its OpenAPI 3 documents, by `apis/<group>/<version>`. */
  readonly openApiV3: ReadonlyMap<string, string>;
  /** The part of its OpenAPI 2 document about its group-versions; undefined where none was fetched. */
  readonly openApiV2: OpenApiV2Part | undefined;
  /** Identifies the OpenAPI 2 document that the part was taken from, so that the next fetch can be conditional. */
  readonly openApiV2Of: DocumentTags | undefined;
}

/** Identifies a version of a document. */
interface DocumentTags {
  /** The server's entity tag; empty without one. */
  readonly etag: string;
  /** SHA-256 of its bytes. */
  readonly digest: string;
  /** Prefixes of the paths that were taken from it. */
  readonly taken: string;
}

/** Options of fetching documents from another server. */
export interface ReadingOptions {
  /** Naming profile, by which the media type of aggregated discovery is named. */
  readonly names: Names;
  /** Largest document. */
  readonly maxBytes: number;
  /** Called with what is unusable in a server's documents, or the error of fetching them. */
  readonly onProblem?: (serverName: string, problem: unknown) => void;
}

const DISCOVERY_MS = 5_000;
/** Largest document of discovery, the same limit as that of availability checks. It is parsed in one step. */
const MAX_DISCOVERY_BYTES = 1 << 20;
/** Milliseconds for an OpenAPI document: these are large, and no request waits for them. */
const OPENAPI_MS = 60_000;

/** OpenAPI documents of one server. */
export type ExtensionOpenApi = Omit<ExtensionDocuments, 'resources'>;

/** OpenAPI of a server from which none was fetched. */
export const NO_OPENAPI: ExtensionOpenApi = { openApiV3: new Map(), openApiV2: undefined, openApiV2Of: undefined };

/** Fetches the resources of some of a server's group-versions. @throws Error where the server does not provide them */
export async function readResources(
  extension: Extension,
  versions: readonly ServedVersion[],
  { names, maxBytes }: ReadingOptions,
): Promise<DiscoveredResources> {
  const group = names.group('apidiscovery.orch.io');
  const accept = `application/json;g=${group};v=v2beta1;as=APIGroupDiscoveryList,application/json`;
  const asked = { limitMs: DISCOVERY_MS, maxBytes: Math.min(maxBytes, MAX_DISCOVERY_BYTES) };
  const whole = await fetchFrom(extension, '/apis', { ...asked, headers: { accept } });
  if (whole.status === 503) throw new Error('it answers 503');
  if (whole.status === 200 && isAggregated(whole)) return readGroupDiscovery(parsed(whole));
  const told = new Map<string, ReturnType<typeof readResourceList>>();
  for (const { group: ofGroup, version } of versions) {
    const path = ofGroup === '' ? `/api/${version}` : `/apis/${ofGroup}/${version}`;
    const list = await fetchFrom(extension, path, { ...asked, headers: { accept: 'application/json' } });
    if (list.status !== 200) throw new Error(`${path} is answered with ${list.status}`);
    told.set(`${ofGroup}/${version}`, readResourceList(parsed(list)));
  }
  return told;
}

/**
 * Fetches the OpenAPI documents of a server's group-versions. Those that cannot be fetched are left out.
 * @param before what was fetched last, for conditional requests
 */
export async function readOpenApi(
  extension: Extension,
  versions: readonly ServedVersion[],
  options: ReadingOptions,
  before?: ExtensionOpenApi,
): Promise<ExtensionOpenApi> {
  const unusable = (problem: unknown) => options.onProblem?.(extension.serverName, problem);
  const [openApiV3, v2] = await Promise.all([
    readV3(extension, versions, options).catch(unusable),
    readV2(extension, versions, options, before).catch(unusable),
  ]);
  return { openApiV3: openApiV3 ?? new Map(), openApiV2: v2?.part, openApiV2Of: v2?.tags };
}

const isAggregated = ({ headers }: Fetched): boolean =>
  /;\s*as=APIGroupDiscoveryList/.test(headers['content-type'] ?? '');

const parsed = ({ body }: Fetched): unknown => JSON.parse(body.toString('utf8'));

const V2 = '/openapi/v2';
const V3 = '/openapi/v3';

async function readV3(
  extension: Extension,
  versions: readonly ServedVersion[],
  { maxBytes }: ReadingOptions,
): Promise<ReadonlyMap<string, string>> {
  const answer = await fetchFrom(extension, V3, { limitMs: OPENAPI_MS, maxBytes });
  const found = new Map<string, string>();
  if (answer.status !== 200) return found;
  const { paths = {} } = parsed(answer) as { paths?: Record<string, { serverRelativeURL?: unknown } | null> };
  for (const { group, version } of versions) {
    const path = `apis/${group}/${version}`;
    const url = paths[path]?.serverRelativeURL;
    // Another path would be answered by this server itself.
    if (typeof url === 'string' && (url === `${V3}/${path}` || url.startsWith(`${V3}/${path}?`))) found.set(path, url);
  }
  return found;
}

async function readV2(
  extension: Extension,
  versions: readonly ServedVersion[],
  { maxBytes }: ReadingOptions,
  before?: ExtensionOpenApi,
): Promise<{ part: OpenApiV2Part; tags: DocumentTags } | undefined> {
  const prefixes = versions.map(({ group, version }) => `/apis/${group}/${version}/`);
  const taken = prefixes.join();
  const { openApiV2: part, openApiV2Of: of } = before ?? {};
  const known = part && of?.taken === taken ? { part, tags: of } : undefined;
  const headers = { accept: 'application/json', ...(known?.tags.etag && { 'if-none-match': known.tags.etag }) };
  const answer = await fetchFrom(extension, V2, { limitMs: OPENAPI_MS, maxBytes, headers });
  if (answer.status === 304 && known) return known;
  if (answer.status !== 200) return undefined;
  const digest = createHash('sha256').update(answer.body).digest('base64');
  const tags = { etag: answer.headers.etag ?? '', digest, taken };
  // The very part, by which it is known that nothing has changed.
  if (known?.tags.digest === digest) return { part: known.part, tags };
  return { part: await usablePart(answer, prefixes), tags };
}

/**
 * Returns the part of a document that describes some paths and those below them.
 * @throws Error for a part that cannot be encoded
 */
async function usablePart(answer: Fetched, prefixes: readonly string[]): Promise<OpenApiV2Part> {
  await turnFor(answer.body.length);
  const document = parsed(answer);
  await turnFor(answer.body.length);
  const part = partOf(document, (path) => prefixes.some((prefix) => `${path}/`.startsWith(prefix)));
  // A part that cannot be encoded is rejected: it would make the merged document unreadable.
  await inSlices(encodeOpenApiV2Protobuf({ swagger: '2.0', info: { title: '', version: '' }, ...part }));
  return part;
}
