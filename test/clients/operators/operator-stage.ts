import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { type Cluster, ManagedProcess } from '../../../tools/up/index.js';
import { Api, type ApiObject } from '../../support/api.js';
import { startCluster } from '../../support/cluster.js';
import { makeServerFolder } from '../../support/run-folder.js';
import { findKubectl, KUBECTL_BUILD_MS, Kubectl } from '../kubectl.js';
import { buildOperator, type Operator } from './build-operator.js';

/** How an operator is run beside a cluster. */
export interface Run {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Whether it is at work. */
  ready(): Promise<boolean>;
}

/** The environment before the operator runs. */
export interface Premises {
  readonly cluster: Cluster;
  readonly api: Api;
  readonly kubectl: Kubectl;
  /** Folder of the operator's module. */
  readonly source: string;
}

/** The environment of the tests of one `describe`; only they may use it. */
export interface OperatorStage extends Premises {
  /** Its log is `logFile`. */
  readonly operator: ManagedProcess;
  /** Creates an object and returns what came of it; throws when it is refused. */
  create(path: string, object: object): Promise<ApiObject>;
  /** The object at a path, undefined when there is none. */
  find(path: string): Promise<ApiObject | undefined>;
  /** How many lists of some resources have been asked for since the servers began, by whomever. */
  lists(...resources: readonly string[]): Promise<number>;
}

/**
 * Starts two tiers with two gateways, a namespace, the operator's definitions and the operator before the tests of the surrounding
 * `describe`, and stops them after them.
 * @param serverArgs further options of the servers
 */
export function operatorStage(
  operator: Operator,
  namespace: string,
  run: (stage: Premises, dir: string) => Promise<Run>,
  serverArgs: () => Promise<readonly string[]> = async () => [],
): OperatorStage {
  const stage = {} as { -readonly [Part in keyof Premises]: Premises[Part] } & { operator: ManagedProcess };
  let dir: string;
  beforeAll(async () => {
    const { program, source } = buildOperator(operator);
    stage.source = source;
    const kubectl = findKubectl('1.27');
    dir = makeServerFolder('orch-operator-');
    stage.cluster = await startCluster({ dir, apiServers: 1, serverArgs: await serverArgs() });
    stage.api = new Api(stage.cluster);
    stage.kubectl = new Kubectl(kubectl, stage.cluster.kubeconfig);
    await stage.kubectl.ok(['create', 'namespace', namespace]);
    if (operator.definitions !== undefined) {
      await stage.kubectl.ok(['apply', '--server-side', '-f', join(source, operator.definitions)]);
      await stage.kubectl.ok(['wait', '--for=condition=Established', 'crd', '--all', '--timeout=30s']);
    }
    const { args, env, ready } = await run(stage, dir);
    const logFile = join(dir, `${operator.name}.log`);
    const variables = { KUBECONFIG: stage.cluster.kubeconfig, ...env };
    stage.operator = new ManagedProcess({
      name: operator.name,
      command: program,
      args,
      env: variables,
      logFile,
      ready,
    });
    await stage.operator.start();
  }, 2 * KUBECTL_BUILD_MS);

  afterAll(async () => {
    await stage.operator?.stop();
    stage.api?.close();
    await stage.cluster?.stop();
    if (dir) rmSync(dir, { recursive: true, force: true });
  }, 60_000);

  return Object.assign(stage, {
    async create(path: string, object: object) {
      const answer = await stage.api.post(path, object);
      if (answer.status !== 201) throw new Error(answer.text);
      return answer.json();
    },
    async find(path: string) {
      const answer = await stage.api.get(path);
      if (answer.status === 404) return undefined;
      if (answer.status !== 200) throw new Error(answer.text);
      return answer.json();
    },
    async lists(...resources: readonly string[]) {
      const [url = ''] = stage.cluster.apiServerUrls;
      const server = new Api({ ...stage.cluster, url });
      const { text } = await server.get('/metrics');
      server.close();
      const counted = [...text.matchAll(/^apiserver_request_total\{verb="LIST",.*\bresource="([^"]+)".*\} (\d+)$/gm)];
      const ofThese = counted.filter(([, resource = '']) => resources.includes(resource));
      return ofThese.reduce((sum, [, , count]) => sum + Number(count), 0);
    },
  });
}
