import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeKubeconfig } from '@orch/client';
import { answer, ScriptedServer } from '@orch/client/testing';
import { Api } from '../../support/api.js';
import { type Standalone, startStandalone } from '../../support/standalone.js';
import type { Measurement } from '../report.js';
import { type RequestWorker, withRequests } from '../requests.js';
import { benchResource, inNamespace } from '../resource.js';
import type { StageSettings } from '../settings.js';
import { addressOf, type Target } from '../target.js';
import { ServerProcesses } from '../usage.js';
import { warmUp } from '../warm-up.js';
import { requestMeasurements } from './requests.js';

type RightsSettings = Omit<StageSettings, 'target'>;

const USER = 'jane';
const TOKEN_OF_WEBHOOK = 'known-by-a-webhook';
const NAMESPACE = 'bench-rights';
const GROUP = 'rbac.authorization.k8s.io';
const RBAC = `/apis/${GROUP}/v1`;
const BINDINGS = 10_000;
const MAKERS = 16;
const REQUESTERS = 16;
/** Columns take turns, as the machine may have more to do at times, and of each the cheapest counts. */
const ROUNDS = 3;
const VERBS = ['create', 'get'] as const;

/** How a server of one column is told to judge. */
interface Judging {
  readonly args: readonly string[];
  /** Token; the administrator's if absent, who is not authorized further: without rights `/readyz` would be refused. */
  readonly token?: string;
  /** Roles and bindings decide. */
  readonly byRights: boolean;
}

/** Requests of the administrator, whom nobody judges, and of one user, step by step with more that is asked of who it is and may do. */
export async function rightsColumns(settings: RightsSettings): Promise<ReadonlyMap<string, readonly Measurement[]>> {
  const dir = mkdtempSync(join(tmpdir(), 'bench-rights-'));
  const webhook = await ScriptedServer.start();
  let asked = 0;
  webhook.script = ({ body }, response) => {
    asked++;
    const { apiVersion, kind } = JSON.parse(body);
    answer(response, 200, { apiVersion, kind, status: { authenticated: true, user: { username: USER } } });
  };
  const columns: Column[] = [];
  try {
    for (const [name, judging] of Object.entries(await judgings(dir, webhook))) {
      columns.push(await Column.open(name, judging, settings));
    }
    await withRequests(async (worker) => {
      for (let round = 0; round <= ROUNDS; round++) {
        for (const column of columns) await column.measure(worker, settings, round);
      }
    });
    const [off] = columns;
    const results = new Map(columns.map((column) => [column.name, column.results(off)]));
    results.get(columns.at(-1)?.name ?? '')?.push({ name: 'reviews of tokens', unit: '', value: asked });
    return results;
  } finally {
    await Promise.all(columns.map((column) => column.close()));
    await webhook.stop();
    rmSync(dir, { recursive: true, force: true });
  }
}

async function judgings(dir: string, webhook: ScriptedServer): Promise<Readonly<Record<string, Judging>>> {
  const [policy, tokens] = [join(dir, 'policy.json'), join(dir, 'webhook')];
  writeFileSync(
    policy,
    JSON.stringify({ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules: [{ level: 'Metadata' }] }),
  );
  await writeKubeconfig(tokens, webhook.connection);
  const audit = (name: string) => [`--audit-policy-file=${policy}`, `--audit-log-path=${join(dir, `${name}.log`)}`];
  const webhookArgs = [`--authentication-token-webhook-config-file=${tokens}`];
  return {
    administrator: { args: [], byRights: false },
    'Node, RBAC': { args: [], token: USER, byRights: true },
    'and audit': { args: audit('audit'), token: USER, byRights: true },
    'and a webhook': { args: [...audit('all'), ...webhookArgs], token: TOKEN_OF_WEBHOOK, byRights: true },
  };
}

/** A server under measurement, and the cheapest of what was measured. */
class Column {
  readonly #best = new Map<string, Measurement[]>();

  private constructor(
    readonly name: string,
    private readonly server: Standalone,
    private readonly target: Target,
    private readonly administrator: Target['endpoint'],
  ) {}

  static async open(name: string, { args, token, byRights }: Judging, { scale }: RightsSettings): Promise<Column> {
    const server = await startStandalone({ args, strangers: [USER] });
    const { ca, url } = server;
    const administrator = { ...addressOf(url), tls: { ca }, token: server.token };
    const resource = await inNamespace(administrator, await benchResource(administrator), NAMESPACE);
    if (byRights) await bindMany(server, Math.round(BINDINGS * scale));
    const processes = new ServerProcesses(() => [server.process.pid]);
    return new Column(
      name,
      server,
      {
        name,
        endpoint: { ...administrator, ...(token && { token }) },
        processes,
        resource,
      },
      administrator,
    );
  }

  /** @param round the first warms up */
  async measure(worker: RequestWorker, { seconds, run }: RightsSettings, round: number): Promise<void> {
    const { endpoint, resource, processes } = this.target;
    if (round === 0) return warmUp(worker, { ...this.target, endpoint: this.administrator }, run);
    const load = {
      endpoint,
      resource,
      seconds,
      prefix: `${run}-${round}`,
      objects: REQUESTERS,
      requesters: REQUESTERS,
    };
    for (const verb of VERBS) {
      const before = processes.cpuMicroseconds();
      const result = await worker.call('run', { ...load, verb });
      const found = requestMeasurements(verb, result, processes.cpuMicroseconds() - before);
      const known = this.#best.get(verb);
      if (!known || cpuOf(found) < cpuOf(known)) this.#best.set(verb, found);
    }
  }

  /** @param off that with which nothing is judged */
  results(off: Column | undefined): Measurement[] {
    return VERBS.flatMap((verb) => {
      const found = this.#best.get(verb) ?? [];
      const more = cpuOf(found) - (off ? cpuOf(off.#best.get(verb) ?? []) : Number.NaN);
      return [...found, { name: `${verb}: more than of the administrator`, unit: 'µs each', value: more }];
    });
  }

  close(): Promise<void> {
    return this.server.stop();
  }
}

const cpuOf = (found: readonly Measurement[]): number =>
  found.find(({ name }) => name.endsWith('server CPU'))?.value ?? Number.NaN;

/** Creates one binding for the measured user, and many for others. */
async function bindMany({ url, ca, token }: Standalone, count: number): Promise<void> {
  const api = new Api({ url, ca, token });
  const bind = async (path: string, name: string, role: string, user: string) => {
    const roleRef = { apiGroup: GROUP, kind: 'ClusterRole', name: role };
    const subjects = [{ apiGroup: GROUP, kind: 'User', name: user }];
    const { status, text } = await api.post(`${RBAC}/${path}`, { metadata: { name }, roleRef, subjects });
    if (status !== 201) throw new Error(`${name}: ${status} ${text}`);
  };
  let next = 0;
  const maker = async () => {
    for (let at = next++; at < count; at = next++) {
      await bind('clusterrolebindings', `viewer-${at}`, 'view', `viewer-${at}`);
    }
  };
  await Promise.all(Array.from({ length: MAKERS }, maker));
  await bind(`namespaces/${NAMESPACE}/rolebindings`, USER, 'edit', USER);
  api.close();
}
