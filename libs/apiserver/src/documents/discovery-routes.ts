import { createHash } from 'node:crypto';
import {
  type Accepted,
  discoveryOffers,
  type Encoding,
  encodeObject,
  encodeUnknown,
  negotiator,
  stringifyJson,
  stringifyYaml,
} from '@orch/codec';
import type { ApiObject, Names } from '@orch/machinery';
import type { Features, ResourceDefinition, Scheme } from '@orch/schema';
import {
  encodeOpenApiV2Protobuf,
  OPENAPI_V2_PROTOBUF,
  OPENAPI_V2_PROTOBUF_CONTENT_TYPE,
  type OpenApiSource,
  OpenApiV3,
  openApiV2Document,
} from '@orch/schema/openapi';
import type { Express, Request, Response } from 'express';
import { notAcceptable, unknownPath } from '../http/errors.js';
import type { ServedResources } from '../served/served-resources.js';
import type { ServedSnapshot } from '../served/served-snapshot.js';
import { servesSubresource } from '../verbs.js';
import { weakMemo } from '../weak-memo.js';
import { type DiscoveryDocuments, discoveryDocuments } from './index.js';

export interface DiscoveryRoutes {
  /** Where documents are now. */
  paths(): readonly string[];
  mount(app: Express): void;
}

/** The documents of one snapshot of what is served, each made when it is first asked for. */
interface Documents {
  readonly discovery: () => DiscoveryDocuments;
  readonly openApiV3: () => OpenApiV3;
  readonly openApiV2: () => OpenApiV2Bodies;
}

export interface DocumentsOptions extends Pick<OpenApiSource, 'scheme' | 'release'> {
  readonly names: Names;
  readonly features: Features;
}

/** What clients learn the API from, as it is served at the time: discovery (plain and aggregated) and OpenAPI documents. */
export function createDiscoveryRoutes(served: ServedResources, options: DocumentsOptions): DiscoveryRoutes {
  const documentsOf = weakMemo((snapshot: ServedSnapshot) => documentsFor(snapshot, options));
  const now = () => documentsOf(served.current);
  return {
    paths: () => pathsOf(now().discovery()),
    mount(app) {
      mountDiscovery(app, () => now().discovery(), options);
      mountOpenApiV3(app, () => now().openApiV3());
      mountOpenApiV2(app, () => now().openApiV2());
    },
  };
}

function documentsFor({ endpoints }: ServedSnapshot, { scheme, release, names }: DocumentsOptions): Documents {
  const source = { scheme, release, served: endpoints.map(({ definition }) => discoverable(definition)) };
  return {
    discovery: lazily(() => discoveryDocuments(source.served, names)),
    openApiV3: lazily(() => new OpenApiV3(source)),
    openApiV2: lazily(() => openApiV2Bodies(source)),
  };
}

/** Documents promise only what is carried out. */
function discoverable(definition: ResourceDefinition): ResourceDefinition {
  return { ...definition, subresources: definition.subresources.filter(({ name }) => servesSubresource(name)) };
}

function pathsOf({ groups, resources }: DiscoveryDocuments): string[] {
  const versions = [...resources.keys()].map((version) => `/${version.includes('/') ? 'apis' : 'api'}/${version}`);
  return ['/api', '/apis', ...[...groups.keys()].map((group) => `/apis/${group}`), ...versions, ...OPENAPI_PATHS];
}

const OPENAPI_PATHS = ['/openapi/v2', '/openapi/v3'];

function mountDiscovery(app: Express, documents: () => DiscoveryDocuments, options: DocumentsOptions): void {
  const { scheme, names, features } = options;
  const offers = discoveryOffers(names);
  const plainOnly = { ...offers, canShowAs: () => false };
  const negotiate = negotiator(features.enabled('AggregatedDiscoveryEndpoint') ? offers : plainOnly, names);
  const send = sender(scheme, names);
  const answer = (req: Request, res: Response, plain: Document | undefined, aggregated?: Document): void => {
    if (!plain) throw unknownPath();
    const accepted = negotiate(req.headers.accept);
    if (!accepted) throw notAcceptable(['application/json', 'application/yaml', names.protobufMediaType]);
    if (accepted.as && aggregated) send(res, accepted, aggregated, 'apidiscovery/v2beta1', aggregatedType(names));
    else send(res, accepted, plain, 'meta/v1', '');
  };
  app.get('/api', (req, res) => {
    const address = `${req.socket.localAddress ?? ''}:${req.socket.localPort ?? ''}`;
    answer(req, res, documents().apiVersions(address), documents().aggregated.core);
  });
  app.get('/apis', (req, res) => answer(req, res, documents().groupList, documents().aggregated.groups));
  app.get('/apis/:group', (req, res) => answer(req, res, documents().groups.get(req.params.group)));
  app.get('/api/:version', (req, res) => answer(req, res, documents().resources.get(req.params.version)));
  app.get('/apis/:group/:version', (req, res) => {
    answer(req, res, documents().resources.get(`${req.params.group}/${req.params.version}`));
  });
}

type Document = Pick<ApiObject, 'kind' | 'apiVersion'>;

const aggregatedType = (names: Names): string =>
  `;g=${names.group('apidiscovery.orch.io')};v=v2beta1;as=APIGroupDiscoveryList`;

/** Answers with a document in what was accepted; its type is found in the package of `proto/` that is named. */
function sender(scheme: Scheme, names: Names) {
  const encode = {
    json: { type: 'application/json', body: (document: Document) => Buffer.from(stringifyJson(document)) },
    yaml: { type: 'application/yaml', body: (document: Document) => Buffer.from(stringifyYaml(document)) },
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
  const made = (document: Document, from: string, mediaType: Encoding): Tagged => {
    const known = madeOf(document).get(mediaType);
    if (known) return known;
    const { type, body } = encode[mediaType];
    const fresh = tagged(body(document, from), type);
    madeOf(document).set(mediaType, fresh);
    return fresh;
  };
  return (res: Response, { mediaType }: Accepted, document: Document, from: string, parameters: string): void => {
    const { bytes, type, tag } = made(document, from, mediaType);
    res.set('Vary', 'Accept');
    // Past express, which would add a charset that the media type does not have.
    res.setHeader('Content-Type', `${type}${mediaType === 'yaml' ? '' : parameters}`);
    if (parameters) res.set('Cache-Control', 'public').set('ETag', tag);
    res.send(bytes);
  };
}

/** With a tag, express answers 304 to whoever has these bytes. */
const tagOf = (bytes: Buffer): string => `"${createHash('sha512').update(bytes).digest('hex').toUpperCase()}"`;

function mountOpenApiV3(app: Express, documents: () => OpenApiV3): void {
  app.get('/openapi/v3', (_req, res) => void res.json(documents().index()));
  app.get('/openapi/v3/*path', (req, res) => {
    const path = ([] as string[]).concat(req.params.path).join('/');
    const document = documents().document(path);
    if (!document) throw unknownPath();
    const asked = req.query.hash;
    if (typeof asked === 'string' && asked !== document.hash) {
      res.redirect(301, `/openapi/v3/${path}?hash=${document.hash}`);
      return;
    }
    // A URL that names the content may be kept for ever.
    if (asked)
      res.set('Cache-Control', 'public, immutable').set('Expires', new Date(Date.now() + 31_536_000_000).toUTCString());
    res.set('ETag', `"${document.hash}"`).type('application/json').send(document.json);
  });
}

interface OpenApiV2Bodies {
  readonly json: () => Tagged;
  readonly protobuf: () => Tagged;
}

function openApiV2Bodies(source: OpenApiSource): OpenApiV2Bodies {
  const document = lazily(() => openApiV2Document(source));
  return {
    json: lazily(() => tagged(Buffer.from(stringifyJson(document())), 'application/json')),
    protobuf: lazily(() => tagged(Buffer.from(encodeOpenApiV2Protobuf(document())), OPENAPI_V2_PROTOBUF_CONTENT_TYPE)),
  };
}

function mountOpenApiV2(app: Express, bodies: () => OpenApiV2Bodies): void {
  app.get('/openapi/v2', (req, res) => {
    const wantsProtobuf = (req.headers.accept ?? '').includes(OPENAPI_V2_PROTOBUF);
    const { bytes, type, tag } = wantsProtobuf ? bodies().protobuf() : bodies().json();
    res.set({ Vary: 'Accept', 'Content-Type': type, ETag: tag }).send(bytes);
  });
}

interface Tagged {
  readonly bytes: Buffer;
  readonly type: string;
  readonly tag: string;
}

const tagged = (bytes: Buffer, type: string): Tagged => ({ bytes, type, tag: tagOf(bytes) });

function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
