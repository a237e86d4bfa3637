import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiError } from '@orch/client';
import { FakeRuntime } from '@orch/container-runtime/testing';
import { type ApiObject, namesOf, notFound } from '@orch/machinery';
import { ContainerMounts, SandboxConfigs } from '@orch/pod-containers';
import {
  containerCgroupValues,
  containerEnvironment,
  type Mounter,
  PodFolders,
  PodVolumes,
  podAnnotations,
} from '@orch/pod-environment';
import { silentLogger } from '@orch/runtime';
import { ManualClock } from '@orch/runtime/testing';
import type { Container, Pod, PodSpec, PodStatus } from '@orch/schema/types/core/v1';
import { PodAgent } from '../pods/pod-agent.js';
import { FileActivity } from './file-activity.js';

/** Pods of an API in memory, with what the agent asks of it. */
export class TestPods {
  /** Pods by name. */
  readonly pods = new Map<string, Pod>();
  /** Statuses that were written, as `name phase`, without repetitions. */
  readonly phases: string[] = [];
  /** Called after each change. */
  onChange: () => void = () => undefined;

  async get<T extends ApiObject>(_ref: unknown, name: string): Promise<T> {
    return this.#known(name) as T;
  }

  async patch<T extends ApiObject>(_ref: unknown, name: string, _type: string, body: unknown): Promise<T> {
    const pod = this.#known(name);
    const { status } = body as { status: PodStatus & Record<string, unknown> };
    const merged: Record<string, unknown> = { ...pod.status };
    for (const [field, value] of Object.entries(status)) {
      if (field.startsWith('$')) continue;
      if (value === null) delete merged[field];
      else merged[field] = field === 'conditions' ? conditionsOf(pod, value as object[]) : value;
    }
    const updated = { ...pod, status: merged as PodStatus };
    this.pods.set(name, updated);
    const line = `${name} ${updated.status.phase}`;
    if (this.phases.at(-1) !== line) this.phases.push(line);
    this.onChange();
    return updated as Pod & T;
  }

  async delete(_ref: unknown, name: string): Promise<ApiObject> {
    this.#known(name);
    this.pods.delete(name);
    this.phases.push(`${name} deleted`);
    this.onChange();
    return {};
  }

  #known(name: string): Pod {
    const pod = this.pods.get(name);
    if (!pod) throw new ApiError(notFound({ group: '', resource: 'pods' }, name).status);
    return pod;
  }
}

function conditionsOf({ status }: Pod, changed: { type?: string; $patch?: string }[]): object[] {
  const gone = new Set(changed.map(({ type }) => type));
  return [
    ...(status?.conditions ?? []).filter(({ type }) => !gone.has(type)),
    ...changed.filter(({ $patch }) => !$patch),
  ];
}

/** Nothing can be mounted in tests, and nothing is. */
export const NO_MOUNTS: Mounter = {
  memory: () => Promise.reject(new Error('no mounts')),
  bind: () => Promise.reject(new Error('no mounts')),
  disk: () => Promise.reject(new Error('no mounts')),
  unmount: async () => undefined,
  mountsBelow: async () => [],
};

/** A pod agent on a runtime and an API in memory, with a clock that stands still. */
export class TestAgent {
  readonly clock = new ManualClock();
  readonly runtime = new FakeRuntime({ clock: this.clock });
  readonly api = new TestPods();
  /** Handlers of the runtime by RuntimeClass. */
  readonly handlers = new Map<string, string>();
  /** Events, as `Reason: message`. */
  readonly events: string[] = [];
  readonly folders: PodFolders;
  agent: PodAgent;
  readonly #files = new FileActivity();

  private constructor(readonly folder: string) {
    this.folders = new PodFolders(folder);
    this.agent = this.#make();
    this.api.onChange = () => this.deliver();
  }

  /** Makes an agent in a folder of its own, and starts it. */
  static async start(): Promise<TestAgent> {
    const test = new TestAgent(await mkdtemp(join(tmpdir(), 'agent-')));
    for (const name of ['busybox:latest', 'nginx:1']) test.runtime.images.add({ name });
    test.#files.start();
    await test.agent.start();
    test.deliver();
    test.deliverStatic([]);
    return test;
  }

  /** Puts another agent in the place of this one, as after a restart. Its source of files has not been seen yet. */
  async restart(): Promise<void> {
    await this.agent.stop();
    this.agent = this.#make();
    await this.agent.start();
    this.deliver();
    await this.settle();
  }

  /** Delivers the pods of files to the agent. */
  deliverStatic(pods: readonly Pod[]): void {
    this.agent.desired.set('file', pods);
  }

  /** Ends the agent, and removes its folder. */
  async end(): Promise<void> {
    await this.agent.stop();
    this.#files.stop();
    await rm(this.folder, { recursive: true, force: true });
  }

  /** Delivers the pods of the API to the agent. */
  deliver(): void {
    this.agent.desired.set('api', this.api.pods.values());
  }

  /** Creates a pod in the API. */
  async create(name: string, spec: PodSpec, more: Partial<Pod> = {}): Promise<void> {
    this.api.pods.set(name, podOf(name, spec, more));
    this.deliver();
    await this.settle();
  }

  /** Changes a pod in the API. */
  async change(name: string, change: (pod: Pod) => Pod): Promise<void> {
    const pod = this.api.pods.get(name);
    if (pod) this.api.pods.set(name, change(pod));
    this.deliver();
    await this.settle();
  }

  /** Asks for the deletion of a pod. */
  async delete(name: string, graceSeconds = 30): Promise<void> {
    const deletionTimestamp = new Date(this.clock.wall()).toISOString();
    await this.change(name, (pod) => ({
      ...pod,
      metadata: { ...pod.metadata, deletionTimestamp, deletionGracePeriodSeconds: graceSeconds },
    }));
  }

  /** Lets time pass, a second at a time, with what takes place in files and promises meanwhile. */
  async pass(seconds: number): Promise<void> {
    for (let second = 0; second < seconds; second++) {
      await this.clock.advance(1_000);
      await this.settle();
    }
  }

  /** Waits for what needs no time of the clock: files and promises. */
  async settle(): Promise<void> {
    for (let quiet = 0; quiet < 3; quiet = this.#files.pending > 0 ? 0 : quiet + 1) await this.clock.settle();
  }

  /** Returns the status of a pod in the API. */
  status(name: string): PodStatus {
    return this.api.pods.get(name)?.status ?? {};
  }

  /** Returns the states of all containers of the runtime, as `name state`. */
  async containers(): Promise<string[]> {
    return (await this.runtime.listContainers()).map(({ metadata, state }) => `${metadata.name} ${state}`);
  }

  #make(): PodAgent {
    const { clock, runtime, folders, events: lines, api } = this;
    const names = namesOf('kubernetes');
    const events = {
      ofPod: (_pod: Pod, _type: string, reason: string, message: string) => void lines.push(`${reason}: ${message}`),
      ofNode: () => undefined,
    };
    const objects = {
      configMap: () => Promise.reject(new ApiError(notFound({ group: '', resource: 'configmap' }, 'none').status)),
      secret: () => Promise.reject(new ApiError(notFound({ group: '', resource: 'secret' }, 'none').status)),
    };
    const addresses = (podIPs: readonly string[]) => ({ podIPs, hostIP: '192.168.0.1' });
    const sandboxes = new SandboxConfigs({
      logs: join(this.folder, 'logs'),
      profiles: '/profiles',
      dns: () => ({ clusterDns: ['10.0.0.10'], clusterDomain: 'cluster.local', resolvConf: '' }),
      handler: async (name) => this.handlers.get(name) ?? Promise.reject(new Error(`RuntimeClass "${name}" not found`)),
      events,
    });
    return new PodAgent({
      runtime,
      runtimeName: 'fake',
      sources: ['api', 'file'],
      annotations: podAnnotations(names),
      client: api as never,
      node: () => ({ metadata: { name: 'n' }, status: { allocatable: { cpu: '4', memory: '8Gi', pods: '3' } } }),
      hostIPs: () => ['192.168.0.1'],
      sandboxes,
      containers: {
        mounts: new ContainerMounts(folders, NO_MOUNTS, 'cluster.local'),
        environment: (pod, container, podIPs) =>
          containerEnvironment({
            ...{ pod, container, objects, allocatable: {}, services: new Map(), addresses: addresses(podIPs) },
            onInvalidNames: () => undefined,
          }),
        resources: (pod, container) =>
          containerCgroupValues(pod, container, { enforced: true, periodMicros: 100_000 }, 2n ** 33n),
        profiles: '/profiles',
      },
      pulls: { serial: true, qps: 0, burst: 0 },
      pullSecrets: async () => [],
      removeLogs: async () => undefined,
      volumes: new PodVolumes({
        folders,
        mounter: NO_MOUNTS,
        inputs: (pod) => ({ pod, objects, allocatable: {}, addresses: addresses([]), token: async () => '' }),
      }),
      events,
      syncMs: 60_000,
      keptRuns: 1,
      clock,
      logger: silentLogger,
    });
  }
}

/** Returns a pod whose containers have the image that is on the node. */
export function podOf(name: string, spec: PodSpec, more: Partial<Pod> = {}): Pod {
  const complete = (container: Container): Container => ({
    image: 'busybox',
    imagePullPolicy: 'IfNotPresent',
    terminationMessagePath: '/dev/termination-log',
    ...container,
  });
  return {
    metadata: { name, namespace: 'default', uid: `uid-${name}`, ...more.metadata },
    ...more,
    spec: {
      nodeName: 'n',
      terminationGracePeriodSeconds: 30,
      ...spec,
      containers: (spec.containers ?? [{ name: 'c' }]).map(complete),
      ...(spec.initContainers && { initContainers: spec.initContainers.map(complete) }),
    },
  };
}
