import { createHash } from 'node:crypto';
import { decodeYamlObject, JsonSyntaxError, ObjectReadError, parseYaml, YamlSyntaxError } from '@orch/codec';
import { type KindRules, kindRules } from '@orch/kinds';
import {
  type ApiObject,
  DurationError,
  isObject,
  type Names,
  QuantityError,
  TimeError,
  validateObjectMeta,
} from '@orch/machinery';
import { type PodAnnotations, podAnnotations } from '@orch/pod-environment';
import { applyDefaults, loadScheme, type ResourceDefinition } from '@orch/schema';
import type { Pod, Toleration } from '@orch/schema/types/core/v1';

/** Thrown for a manifest that is no static pod; the message is for the log. */
export class ManifestError extends Error {
  override readonly name = 'ManifestError';
}

/** Place that a static pod was read from. */
interface ManifestOrigin {
  /** Source of the pod. */
  readonly source: 'file' | 'http';
  /** Path or URL, a part of the pod's identity. */
  readonly place: string;
}

const READ_ERRORS = [YamlSyntaxError, JsonSyntaxError, ObjectReadError, QuantityError, TimeError, DurationError];

/** Reads static pods: the object as anyone would write it, made into the pod of this node. */
export class StaticPodReader {
  readonly #definition: ResourceDefinition;
  readonly #rules: KindRules;
  readonly #annotations: PodAnnotations;

  /** @param nodeName name of the node, which becomes a part of the pods' names */
  constructor(
    names: Names,
    private readonly nodeName: string,
  ) {
    const definition = loadScheme(names).resource('', 'v1', 'pods');
    if (!definition) throw new Error('pods are not declared');
    this.#definition = definition;
    this.#rules = kindRules(definition, names);
    this.#annotations = podAnnotations(names);
  }

  /** Reads a manifest of one pod. @throws ManifestError */
  read(text: Buffer | string, origin: ManifestOrigin): Pod {
    return reading(() => this.#completed(this.#decode(text), origin));
  }

  /** Reads a manifest of one pod or of a list of pods. @throws ManifestError if any of them is invalid */
  readAll(text: Buffer | string, origin: ManifestOrigin): Pod[] {
    return reading(() => {
      const { value } = parseYaml(text);
      const items = isObject(value) && value.kind === 'PodList' && Array.isArray(value.items) ? value.items : undefined;
      if (!items) return [this.#completed(this.#decode(text), origin)];
      return items.map((item) => {
        const head = isObject(item) ? { apiVersion: 'v1', kind: 'Pod', ...item } : item;
        return this.#completed(this.#decode(JSON.stringify(head)), origin);
      });
    });
  }

  #decode(text: Buffer | string): Pod & ApiObject {
    const { object } = decodeYamlObject(this.#definition.schema, text);
    if (object.apiVersion !== 'v1' || object.kind !== 'Pod')
      throw new ManifestError(`is no Pod of v1 but ${String(object.kind)} of ${String(object.apiVersion)}`);
    applyDefaults(this.#definition.schema, object);
    this.#rules.defaults(object);
    return object as Pod & ApiObject;
  }

  #completed(pod: Pod & ApiObject, { source, place }: ManifestOrigin): Pod {
    const { nodeName } = this;
    const metadata = { ...pod.metadata };
    const origin = source === 'file' ? `host:${nodeName}file:${place}` : `url:${place}`;
    if (metadata.uid && !/^[A-Za-z0-9][A-Za-z0-9_-]*$/.test(metadata.uid))
      throw new ManifestError(`${JSON.stringify(metadata.uid)} is not a uid`);
    metadata.uid ||= createHash('md5').update(JSON.stringify(pod)).update(origin).digest('hex');
    metadata.name = `${metadata.name ?? ''}-${nodeName.toLowerCase()}`;
    metadata.namespace ||= 'default';
    metadata.annotations = {
      ...metadata.annotations,
      [this.#annotations.hash]: metadata.uid,
      [this.#annotations.source]: source,
    };
    const spec = { ...pod.spec, nodeName };
    if (source === 'file') spec.tolerations = withToleration(spec.tolerations ?? []);
    const completed = { ...pod, metadata, spec, status: { phase: 'Pending' as const } };
    this.#check(completed);
    return completed;
  }

  #check(pod: Pod & ApiObject): void {
    const references = [...apiReferences(pod)];
    if (references.length > 0) throw new ManifestError(`a static pod may not use ${references.join(', ')} of the API`);
    const { nameRule } = this.#rules;
    const ofMetadata = validateObjectMeta(pod.metadata ?? {}, { namespaced: true, nameRule, path: 'metadata' });
    for (const errors of [ofMetadata, ...this.#rules.validateCreate(pod)])
      for (const { field, message } of errors) throw new ManifestError(`is invalid: ${field}: ${message}`);
  }
}

function reading<T>(action: () => T): T {
  try {
    return action();
  } catch (error) {
    if (error instanceof Error && READ_ERRORS.some((type) => error instanceof type))
      throw new ManifestError(error.message);
    throw error;
  }
}

const EVERYTHING: Toleration = { operator: 'Exists', effect: 'NoExecute' };

/** Adds the toleration by which problems of the node do not evict the pod. */
function withToleration(tolerations: readonly Toleration[]): Toleration[] {
  const isSame = (toleration: Toleration) =>
    !toleration.key &&
    toleration.operator === EVERYTHING.operator &&
    toleration.effect === EVERYTHING.effect &&
    toleration.tolerationSeconds === undefined;
  return tolerations.some(isSame) ? [...tolerations] : [...tolerations, { ...EVERYTHING }];
}

/** Finds uses of objects of the API, which a static pod cannot have: it runs without the API. */
function* apiReferences({ spec = {} }: Pod): Generator<string> {
  if (spec.serviceAccountName) yield 'a ServiceAccount';
  if (spec.imagePullSecrets?.length) yield 'a Secret';
  for (const { secret, configMap, persistentVolumeClaim, ephemeral, projected } of spec.volumes ?? []) {
    const projections = projected?.sources ?? [];
    if (secret || projections.some((projection) => projection.secret)) yield 'a Secret';
    if (configMap || projections.some((projection) => projection.configMap)) yield 'a ConfigMap';
    if (projections.some((projection) => projection.serviceAccountToken)) yield 'the token of a ServiceAccount';
    if (persistentVolumeClaim || ephemeral) yield 'a PersistentVolumeClaim';
  }
  for (const { env = [], envFrom = [] } of [...(spec.initContainers ?? []), ...(spec.containers ?? [])]) {
    if (env.some(({ valueFrom }) => valueFrom?.secretKeyRef) || envFrom.some(({ secretRef }) => secretRef))
      yield 'a Secret';
    if (env.some(({ valueFrom }) => valueFrom?.configMapKeyRef) || envFrom.some(({ configMapRef }) => configMapRef))
      yield 'a ConfigMap';
  }
}
