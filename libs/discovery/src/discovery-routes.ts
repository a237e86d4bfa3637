import {
  discoveryOffers,
  type Encoding,
  encodeObject,
  encodeUnknown,
  negotiator,
  stringifyJson,
  stringifyYaml,
} from '@orch/codec';
import type { ApiObject, Names } from '@orch/machinery';
import { notAcceptable, type ServedResources, type ServedSnapshot, unknownPath, weakMemo } from '@orch/resources';
import type { Features, Scheme } from '@orch/schema';
import type { OpenApiSource } from '@orch/schema/openapi';
import type { Express, Request, Response } from 'express';
import { hasAlready } from './conditions.js';
import { type AggregatedDocument, type DiscoveryDocuments, discoveryDocuments } from './discovery-documents.js';
import { describedGroups, documentedGroup } from './documented-groups.js';
import { type KeptDocuments, OpenApiDocuments } from './openapi-documents.js';
import { isOpenApiV3Path, mountOpenApi, OPENAPI_PATHS } from './openapi-routes.js';
import { NO_REMOTE_DOCUMENTS, type RemoteDocuments } from './remote-documents.js';
import { JSON_TYPE, lazily, type Tagged, tagged } from './tagged.js';

/** Routes of discovery and OpenAPI documents. */
export interface DiscoveryRoutes {
  /** Paths of the current documents, except those that an index document lists. */
  paths(): readonly string[];
  /** Whether a path, without a slash at its end, is that of a document. */
  has(path: string): boolean;
  /** Adds the routes to an app. */
  mount(app: Express): void;
}

/** Documents of one snapshot of the served resources, each made on first use. */
interface Documents {
  readonly discovery: () => DiscoveryDocuments;
  readonly openApi: OpenApiDocuments;
}

interface DocumentsOptions extends Pick<OpenApiSource, 'scheme' | 'release'> {
  readonly names: Names;
  readonly features: Features;
  /** Returns the current documents of other servers. Default: none. */
  readonly remote?: () => RemoteDocuments;
}

/**
 * Serves the documents from which clients learn the API: discovery (plain and aggregated) and OpenAPI, as of the
 * resources served at the time.
 */
export function createDiscoveryRoutes(served: ServedResources, options: DocumentsOptions): DiscoveryRoutes {
  const kept: KeptDocuments = {};
  const documentsOf = weakMemo((snapshot: ServedSnapshot) =>
    weakMemo((remote: RemoteDocuments) => documentsFor(snapshot, remote, options, kept)),
  );
  const { remote = () => NO_REMOTE_DOCUMENTS } = options;
  const now = () => documentsOf(served.current)(remote());
  return {
    paths: () => pathsOf(now().discovery()),
    has: (path) => isDiscoveryPath(path, now().discovery()) || isOpenApiV3Path(path, now().openApi),
    mount(app) {
      mountDiscovery(app, () => now().discovery(), options);
      mountOpenApi(app, () => now().openApi);
    },
  };
}

function documentsFor(
  snapshot: ServedSnapshot,
  remote: RemoteDocuments,
  { scheme, release, names }: DocumentsOptions,
  kept: KeptDocuments,
): Documents {
  const groups = [...snapshot.groups.values()].map(documentedGroup);
  const source = { scheme, release, groups: groups.map(({ served }) => served) };
  return {
    discovery: lazily(() => discoveryDocuments(describedGroups(snapshot, remote), names, remote.versions)),
    openApi: new OpenApiDocuments(source, kept, remote),
  };
}

function pathsOf({ groups, resources, elsewhere }: DiscoveryDocuments): string[] {
  const versions = [...resources.keys(), ...elsewhere].map(
    (version) => `/${version.includes('/') ? 'apis' : 'api'}/${version}`,
  );
  return ['/api', '/apis', ...[...groups.keys()].map((group) => `/apis/${group}`), ...versions, ...OPENAPI_PATHS];
}

/** Whether a path is one of {@link pathsOf}; called for every path without another route. */
function isDiscoveryPath(path: string, { groups, resources, elsewhere }: DiscoveryDocuments): boolean {
  const [, api, ...rest] = path.split('/');
  const name = rest.join('/');
  if (rest.length === 0) return api === 'api' || api === 'apis';
  const isVersion = resources.has(name) || elsewhere.has(name);
  if (api === 'apis') return (rest.length === 1 && name !== '' && groups.has(name)) || (rest.length === 2 && isVersion);
  return (api === 'api' && rest.length === 1 && isVersion) || OPENAPI_PATHS.includes(path);
}

function mountDiscovery(app: Express, documents: () => DiscoveryDocuments, options: DocumentsOptions): void {
  const { scheme, names, features } = options;
  const offers = discoveryOffers(names);
  const plainOnly = { ...offers, canShowAs: () => false };
  const negotiate = negotiator(features.enabled('AggregatedDiscoveryEndpoint') ? offers : plainOnly, names);
  const made = writer(scheme, names);
  const answer = (req: Request, res: Response, plain: Document | undefined, aggregated?: AggregatedDocument) => {
    if (!plain) throw unknownPath();
    const accepted = negotiate(req.headers.accept);
    if (!accepted) throw notAcceptable(['application/json', 'application/yaml', names.protobufMediaType]);
    if (!accepted.as || !aggregated) return sendPlain(res, made(plain, 'meta/v1', accepted.mediaType));
    const { whole, json } = aggregated;
    const isJson = accepted.mediaType === 'json';
    const found = isJson ? json() : made(whole(), 'apidiscovery/v2beta1', accepted.mediaType);
    return Promise.resolve(found).then((document) => sendTagged(req, res, document, aggregatedType(names)));
  };
  app.get('/api{/}', (req, res) => {
    const address = `${req.socket.localAddress ?? ''}:${req.socket.localPort ?? ''}`;
    return answer(req, res, documents().apiVersions(address), documents().aggregated.core);
  });
  app.all('/apis{/}', (req, res) => answer(req, res, documents().groupList, documents().aggregated.groups));
  app.all('/apis/:group{/}', (req, res) => answer(req, res, documents().groups.get(req.params.group)));
  app.get('/api/:version{/}', (req, res) => answer(req, res, documents().resources.get(req.params.version)?.()));
  app.get('/apis/:group/:version{/}', (req, res) =>
    answer(req, res, documents().resources.get(`${req.params.group}/${req.params.version}`)?.()),
  );
}

const YAML_TYPE = 'application/yaml';

type Document = Pick<ApiObject, 'kind' | 'apiVersion'>;

const aggregatedType = (names: Names): string =>
  `;g=${names.group('apidiscovery.orch.io')};v=v2beta1;as=APIGroupDiscoveryList`;

/** Encodes documents as negotiated, each once. The schema of a document is that of the named package of `proto/`. */
function writer(scheme: Scheme, names: Names) {
  const encode = {
    json: { type: JSON_TYPE, body: (document: Document) => Buffer.from(stringifyJson(document)) },
    yaml: { type: YAML_TYPE, body: (document: Document) => Buffer.from(stringifyYaml(document)) },
    protobuf: {
      type: names.protobufMediaType,
      body(document: Document, from: string) {
        const { kind = '', apiVersion = '' } = document;
        const raw = encodeObject(scheme.struct(`${from}.${kind}`), document as ApiObject);
        return Buffer.from(encodeUnknown({ apiVersion, kind, raw }));
      },
    },
  };
  const madeOf = weakMemo((_document: Document) => new Map<Encoding, Tagged>());
  return (document: Document, from: string, mediaType: Encoding): Tagged => {
    const known = madeOf(document).get(mediaType);
    if (known) return known;
    const { type, body } = encode[mediaType];
    const fresh = tagged(body(document, from), type);
    madeOf(document).set(mediaType, fresh);
    return fresh;
  };
}

function sendPlain(res: Response, { bytes, type }: Tagged): void {
  res.set('Vary', 'Accept');
  // Past express, which would add a charset that the media type does not have.
  res.setHeader('Content-Type', type);
  res.send(bytes);
}

/**
 * Sends a document that clients cache, or 304. Release 1.27 does not treat `*` in `If-None-Match` as a match.
 * @param parameters of the media type
 */
function sendTagged(req: Request, res: Response, document: Tagged, parameters: string): void {
  const { type, tag } = document;
  res.set({ 'Cache-Control': 'public', ETag: tag });
  if (hasAlready(req, tag)) return void res.set('Vary', 'Accept').status(304).end();
  sendPlain(res, { ...document, type: `${type}${type === YAML_TYPE ? '' : parameters}` });
}
