import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ComponentHandler, type ComponentUpgrade, type PageAnswer, send } from '@orch/component-server';
import { badRequest, StatusError } from '@orch/machinery';
import type { AgentServerSettings } from './agent-server-settings.js';
import { Commands } from './commands.js';
import { sendContainerLog } from './logs/container-log.js';
import { sendNodeLog } from './node-logs.js';
import { runningPods } from './running-pods.js';
import { Statistics } from './stats/statistics.js';

/** Folders of the paths that `--enable-debugging-handlers=false` turns off. */
const DEBUGGING: ReadonlySet<string> = new Set([
  ...['exec', 'attach', 'portForward', 'run', 'containerLogs', 'runningpods', 'logs', 'debug'],
]);
const JSON_TYPE = 'application/json';
const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

type Page = (url: URL) => PageAnswer | Promise<PageAnswer>;

/** Serves what the port of an agent serves. */
export class AgentHandler implements ComponentHandler {
  readonly #commands: Commands;
  readonly #statistics: Statistics;
  readonly #pages: ReadonlyMap<string, Page>;

  constructor(private readonly settings: AgentServerSettings) {
    this.#commands = new Commands(settings);
    this.#statistics = new Statistics(settings);
    this.#pages = new Map(Object.entries(this.#makePages()));
  }

  /** See {@link ComponentHandler.request}. */
  async request(req: IncomingMessage, res: ServerResponse, url: URL): Promise<void> {
    const [root = '', ...parts] = partsOf(url);
    this.#checkDebugging(root);
    const page = this.#pages.get(url.pathname);
    if (page) {
      checkMethod(req, ['GET', 'HEAD']);
      return send(res, await page(url));
    }
    if (root === 'containerLogs') return this.#log(req, res, parts, url);
    if (root === 'run') return this.#run(req, res, parts, url);
    if (root === 'logs') {
      checkMethod(req, ['GET', 'HEAD']);
      return sendNodeLog(this.settings.logFolder ?? '/var/log', parts.join('/'), res);
    }
    if (root === 'exec' || root === 'attach' || root === 'portForward')
      throw badRequest('unable to upgrade: missing upgrade headers in request');
    throw notFound();
  }

  /** See {@link ComponentHandler.upgrade}. */
  async upgrade(upgrade: ComponentUpgrade, url: URL): Promise<void> {
    const [root = '', ...parts] = partsOf(url);
    this.#checkDebugging(root);
    checkMethod(upgrade.req, ['GET', 'POST']);
    const { searchParams: query } = url;
    if (root === 'exec') return this.#commands.exec(upgrade, containerPath(parts), query);
    if (root === 'attach') return this.#commands.attach(upgrade, containerPath(parts), query);
    if (root !== 'portForward' || parts.length < 2 || parts.length > 3) throw notFound();
    const [namespace = '', pod = '', uid] = parts;
    await this.#commands.portForward(upgrade, { namespace, pod, ...(uid !== undefined && { uid }) }, query);
  }

  #makePages(): Record<string, Page> {
    const { agent, metrics } = this.settings;
    const ok: Page = () => ({ body: 'ok' });
    const sync: Page = () => {
      const problem = agent.syncProblem();
      return problem === undefined ? { body: 'ok' } : { status: 500, body: `internal server error: ${problem}\n` };
    };
    const metricsPage =
      (text: () => string | Promise<string>): Page =>
      async () => ({
        contentType: METRICS_TYPE,
        body: await text(),
      });
    return {
      ...{ '/healthz': sync, '/healthz/': sync, '/healthz/ping': ok, '/healthz/log': ok, '/healthz/syncloop': sync },
      '/pods': () => json({ kind: 'PodList', apiVersion: 'v1', metadata: {}, items: [...agent.pods()] }),
      '/runningpods/': async () => json(await runningPods(this.settings.runtime)),
      '/runningpods': async () => json(await runningPods(this.settings.runtime)),
      '/configz': () => json({ kubeletconfig: agent.configuration() }),
      '/stats/summary': async ({ searchParams }) =>
        json(await this.#statistics.summary(searchParams.get('only_cpu_and_memory') === 'true')),
      '/metrics': () => metrics.text(),
      '/metrics/resource': metricsPage(() => this.#statistics.resource()),
      '/metrics/cadvisor': metricsPage(() => this.#statistics.cadvisor()),
      '/metrics/probes': metricsPage(() => this.#statistics.probes()),
    };
  }

  /** @throws StatusError 405 */
  #checkDebugging(root: string): void {
    if (!this.settings.options.enableDebuggingHandlers && DEBUGGING.has(root))
      throw new StatusError('MethodNotAllowed', 'Debug endpoints are disabled.\n');
  }

  async #log(req: IncomingMessage, res: ServerResponse, parts: string[], { searchParams }: URL): Promise<void> {
    checkMethod(req, ['GET']);
    const [namespace = '', pod = '', container = ''] = parts;
    if (parts.length !== 3) throw notFound();
    await sendContainerLog(this.settings, { namespace, pod, container }, searchParams, res);
  }

  async #run(req: IncomingMessage, res: ServerResponse, parts: string[], { searchParams }: URL): Promise<void> {
    checkMethod(req, ['POST']);
    const output = await this.#commands.run(containerPath(parts), searchParams);
    res.writeHead(200, { 'content-type': 'text/plain' });
    res.end(output);
  }
}

const json = (value: unknown): PageAnswer => ({ contentType: JSON_TYPE, body: JSON.stringify(value) });

/** Parts of a path, decoded. @throws StatusError 400 */
function partsOf({ pathname }: URL): string[] {
  try {
    return pathname.slice(1).split('/').map(decodeURIComponent);
  } catch {
    throw badRequest('the path of the request cannot be decoded');
  }
}

/** @throws StatusError 404 */
function containerPath(parts: readonly string[]) {
  const [namespace = '', pod = ''] = parts;
  const container = parts.at(-1) ?? '';
  if (parts.length === 3) return { namespace, pod, container };
  if (parts.length === 4) return { namespace, pod, uid: parts[2] ?? '', container };
  throw notFound();
}

/** @throws StatusError 405 */
function checkMethod({ method = '' }: IncomingMessage, allowed: readonly string[]): void {
  if (!allowed.includes(method)) throw new StatusError('MethodNotAllowed', '405: Method Not Allowed');
}

const notFound = () => new StatusError('NotFound', '404 page not found\n');
