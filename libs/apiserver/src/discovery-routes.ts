import { type Accepted, discoveryOffers, type Negotiator, negotiator, stringifyJson, stringifyYaml } from '@orch/codec';
import { type Names, StatusError } from '@orch/machinery';
import {
  encodeOpenApiV2Protobuf,
  OPENAPI_V2_PROTOBUF,
  OPENAPI_V2_PROTOBUF_CONTENT_TYPE,
  type OpenApiSource,
  OpenApiV3,
  openApiV2Document,
} from '@orch/schema/openapi';
import type { Express, Request, Response } from 'express';
import { type DiscoveryDocuments, discoveryDocuments } from './discovery/index.js';

export interface DiscoveryRoutes {
  mount(app: Express): void;
}

/** What clients learn the API from: discovery (plain and aggregated) and OpenAPI documents. */
export function createDiscoveryRoutes(source: OpenApiSource, names: Names): DiscoveryRoutes {
  const documents = discoveryDocuments(source.served, names);
  const negotiate = negotiator(discoveryOffers(names), names);
  return {
    mount(app) {
      mountDiscovery(app, documents, negotiate, names);
      mountOpenApiV3(app, new OpenApiV3(source));
      mountOpenApiV2(
        app,
        lazily(() => openApiV2Document(source)),
      );
    },
  };
}

function mountDiscovery(app: Express, documents: DiscoveryDocuments, negotiate: Negotiator, names: Names): void {
  const answer = (req: Request, res: Response, plain: object | undefined, aggregated?: object): void => {
    if (!plain) throw new StatusError('NotFound', 'the server could not find the requested resource');
    const accepted = negotiate(req.headers.accept);
    if (!accepted) throw new StatusError('NotAcceptable', 'only application/json and application/yaml can be answered');
    const as = accepted.as && aggregated;
    send(res, accepted, as ?? plain, as ? aggregatedType(names) : '');
  };
  app.get('/api', (req, res) => {
    const address = `${req.socket.localAddress ?? ''}:${req.socket.localPort ?? ''}`;
    answer(req, res, documents.apiVersions(address), documents.aggregated.core);
  });
  app.get('/apis', (req, res) => answer(req, res, documents.groupList, documents.aggregated.groups));
  app.get('/apis/:group', (req, res) => answer(req, res, documents.groups.get(req.params.group)));
  app.get('/api/:version', (req, res) => answer(req, res, documents.resources.get(req.params.version)));
  app.get('/apis/:group/:version', (req, res) => {
    answer(req, res, documents.resources.get(`${req.params.group}/${req.params.version}`));
  });
}

const aggregatedType = (names: Names): string =>
  `;g=${names.group('apidiscovery.orch.io')};v=v2beta1;as=APIGroupDiscoveryList`;

function send(res: Response, { mediaType }: Accepted, document: object, parameters: string): void {
  res.set('Vary', 'Accept');
  const yaml = mediaType === 'yaml';
  // Past express, which would add a charset that the media type does not have.
  res.setHeader('Content-Type', yaml ? 'application/yaml' : `application/json${parameters}`);
  res.send(Buffer.from(yaml ? stringifyYaml(document) : stringifyJson(document)));
}

function mountOpenApiV3(app: Express, documents: OpenApiV3): void {
  app.get('/openapi/v3', (_req, res) => void res.json(documents.index()));
  app.get('/openapi/v3/*path', (req, res) => {
    const path = ([] as string[]).concat(req.params.path).join('/');
    const document = documents.document(path);
    if (!document) throw new StatusError('NotFound', 'the server could not find the requested resource');
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

function mountOpenApiV2(app: Express, document: () => ReturnType<typeof openApiV2Document>): void {
  const json = lazily(() => Buffer.from(stringifyJson(document())));
  const protobuf = lazily(() => encodeOpenApiV2Protobuf(document()));
  app.get('/openapi/v2', (req, res) => {
    const wantsProtobuf = (req.headers.accept ?? '').includes(OPENAPI_V2_PROTOBUF);
    res.set('Vary', 'Accept');
    if (wantsProtobuf) res.set('Content-Type', OPENAPI_V2_PROTOBUF_CONTENT_TYPE).send(protobuf());
    else res.set('Content-Type', 'application/json').send(json());
  });
}

function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
