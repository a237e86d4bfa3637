import type { RequestListener } from 'node:http';
import { badRequest, StatusError } from '@orch/machinery';
import { unknownPath, wrongMethod } from '@orch/resources';
import type { HealthRegistry, Metrics } from '@orch/runtime';
import { createApplication, overBothVersions, splitTarget } from '@orch/serving';
import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';
import type { DiscoveryRoutes } from './discovery-routes.js';
import { healthMetrics } from './health-metrics.js';
import type { IssuerRoutes } from './issuer-routes.js';

/** Response of `GET /version`. */
export interface VersionInfo {
  /** Major version of the Kubernetes API that is served. */
  readonly major: string;
  /** Minor version of the Kubernetes API that is served. */
  readonly minor: string;
  /** Version as tools compare it: `v<major>.<minor>.<patch>`, with the release of this server as build metadata. */
  readonly gitVersion: string;
  /** Commit that the server was built from; empty where that is not known. */
  readonly gitCommit: string;
  /** State of the work tree of the build: `clean`, `dirty` or empty. */
  readonly gitTreeState: string;
  /** Time of the build, RFC 3339; empty where that is not known. */
  readonly buildDate: string;
  /** Runtime that the server runs on, instead of a version of Go. */
  readonly goVersion: string;
  /** Language runtime or compiler, instead of that of Go. */
  readonly compiler: string;
  /** Operating system and architecture: `linux/amd64`. */
  readonly platform: string;
}

/** Source of the response of `GET /metrics`. */
export type MetricsText = Pick<Metrics, 'text'>;

interface FallbackOptions {
  readonly health: HealthRegistry;
  readonly metrics: MetricsText;
  readonly version: VersionInfo;
  readonly discovery: DiscoveryRoutes;
  /** Debugging pages by path; not listed at the root. Default: none. */
  readonly pages?: ReadonlyMap<string, (query: URLSearchParams) => string>;
  /** Documents of the token issuer (OpenID discovery). Default: none. */
  readonly issuer?: IssuerRoutes;
}

const OWN_PATHS = ['/healthz', '/livez', '/metrics', '/metrics/slis', '/readyz', '/version'];
/** Paths that may end with a slash: the reference, too, splits these before it looks them up. */
const SLASHED = /^\/(?:apis?|version|openid|\.well-known)(?=\/).*(?=\/$)/;

/** Paths that accept the method GET alone, in the reference too; its other documents are sent for any method. */
const READ_BY_GET = ['/version{/}', '/api{/}', '/api/:version{/}', '/apis/:group/:version{/}'];

const refuseMethod: RequestHandler = () => {
  throw wrongMethod();
};

/**
 * Routes that are not hot: health, version, metrics, discovery and OpenAPI documents. A path matches only literally:
 * authorization has judged exactly this path, and not another spelling of it.
 */
export function createFallbackApp(options: FallbackOptions): RequestListener {
  const { health, metrics, version, discovery, issuer, pages } = options;
  const own = [...OWN_PATHS, ...(issuer?.paths ?? [])];
  const slis = healthMetrics(health);
  const paths = () => [...own, ...discovery.paths()].sort();
  const app = createApplication();
  app.disable('x-powered-by').disable('etag').enable('case sensitive routing').enable('strict routing');
  app.use(asAllAnswers, refuseEscapes);
  app.all('/', (_req, res) => void res.json({ paths: paths() }));
  app.head(READ_BY_GET, refuseMethod);
  app.get('/version{/}', (_req, res) => void res.json(version));
  app.all('/metrics', async (_req, res) => {
    const { contentType, body } = await metrics.text();
    res.type(contentType).send(body);
  });
  app.all('/metrics/slis', async (_req, res) => {
    const { contentType, body } = await slis();
    res.type(contentType).send(body);
  });
  app.all(
    ['/livez', '/readyz', '/healthz', '/livez/*check', '/readyz/*check', '/healthz/*check'],
    async (req, res, next) => {
      const { path, query } = splitTarget(req.url);
      const answer = await health.handle(path, query);
      if (!answer) return next();
      res.status(answer.status).set(answer.headers).send(answer.body);
    },
  );
  for (const [path, page] of pages ?? [])
    app.get(path, (req, res) => void res.type('text/plain').send(page(splitTarget(req.url).query)));
  issuer?.mount(app);
  discovery.mount(app);
  app.use((req: Request) => {
    const reads = req.method === 'GET' || req.method === 'HEAD';
    const path = SLASHED.exec(req.path)?.[0] ?? req.path;
    const known = path === '/' || own.includes(path) || discovery.has(path);
    throw !reads && known ? wrongMethod() : unknownPath();
  });
  app.use(answerWithStatus);
  return overBothVersions(app);
}

/** Sets the default for all responses, which documents may override: caches must revalidate. */
const asAllAnswers: RequestHandler = (_req, res, next) => {
  res.set('Cache-Control', 'no-cache, private');
  next();
};

/** No path here has a character that must be escaped. */
const refuseEscapes: RequestHandler = ({ path }, _res, next) => {
  if (!path.includes('%')) return next();
  decodeURIComponent(path);
  throw unknownPath();
};

const answerWithStatus: ErrorRequestHandler = (error: unknown, _req, res: Response, _next) => {
  // That of a path that cannot be decoded.
  const { status } = error instanceof URIError ? badRequest('the path is not well-formed') : StatusError.from(error);
  res.status(status.code).json(status);
};
