/** Kinds of objects that a node may read for its pods. */
export type ReferencedKind = 'configmap' | 'persistentvolumeclaim' | 'secret' | 'serviceaccount';

/** Key of an object that another one refers to, from {@link referenceKey}. */
export type ReferenceKey = string;

/** Returns the key of an object. Neither namespaces nor names contain a slash. */
export const referenceKey = (kind: ReferencedKind, namespace: string, name: string): ReferenceKey =>
  `${kind}/${namespace}/${name}`;

type Json = Readonly<Record<string, unknown>>;

const at = (value: unknown, ...path: readonly string[]): unknown =>
  path.reduce((inner: unknown, member) => (isJson(inner) ? inner[member] : undefined), value);
const textAt = (value: unknown, ...path: readonly string[]): string => {
  const found = at(value, ...path);
  return typeof found === 'string' ? found : '';
};
const listAt = (value: unknown, member: string): readonly unknown[] => {
  const found = at(value, member);
  return Array.isArray(found) ? found : [];
};
const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null;

/** Volume sources with a secret of the pod's namespace as `secretRef`. */
const WITH_SECRET_REF = ['cephfs', 'cinder', 'flexVolume', 'rbd', 'scaleIO', 'iscsi', 'storageos'];

/**
 * Returns the objects that a pod on a node needs: its service account, secrets, config maps and claims. A mirror pod,
 * the copy of a pod that a node runs by itself, needs none, so that a node cannot grant itself access with one.
 * @param mirrorAnnotation the annotation that such copies have
 */
export function referencesOfPod(pod: unknown, mirrorAnnotation: string): ReferenceKey[] {
  const metadata = at(pod, 'metadata');
  if (at(metadata, 'annotations', mirrorAnnotation) !== undefined) return [];
  const namespace = textAt(metadata, 'namespace');
  const names = namesInPod(pod);
  const kinds = Object.keys(names) as ReferencedKind[];
  const keys = kinds.flatMap((kind) => names[kind].map((name) => referenceKey(kind, namespace, name)));
  return [...new Set(keys)];
}

/** Returns the names of objects that a pod refers to; a name may occur several times. */
export function namesInPod(pod: unknown): Readonly<Record<ReferencedKind, readonly string[]>> {
  const spec = at(pod, 'spec');
  const names: Record<ReferencedKind, string[]> = {
    serviceaccount: [textAt(spec, 'serviceAccountName')],
    secret: listAt(spec, 'imagePullSecrets').map((each) => textAt(each, 'name')),
    configmap: [],
    persistentvolumeclaim: [],
  };
  for (const list of ['initContainers', 'containers', 'ephemeralContainers'])
    for (const container of listAt(spec, list)) addEnvironment(names, container);
  for (const volume of listAt(spec, 'volumes')) addVolume(names, volume, textAt(pod, 'metadata', 'name'));
  const found = Object.entries(names).map(([kind, all]) => [kind, all.filter(Boolean)] as const);
  return Object.fromEntries(found) as Record<ReferencedKind, string[]>;
}

function addEnvironment(names: Record<ReferencedKind, string[]>, container: unknown): void {
  for (const from of listAt(container, 'envFrom')) {
    names.secret.push(textAt(from, 'secretRef', 'name'));
    names.configmap.push(textAt(from, 'configMapRef', 'name'));
  }
  for (const variable of listAt(container, 'env')) {
    names.secret.push(textAt(variable, 'valueFrom', 'secretKeyRef', 'name'));
    names.configmap.push(textAt(variable, 'valueFrom', 'configMapKeyRef', 'name'));
  }
}

function addVolume(names: Record<ReferencedKind, string[]>, volume: unknown, pod: string): void {
  names.secret.push(
    textAt(volume, 'azureFile', 'secretName'),
    textAt(volume, 'secret', 'secretName'),
    textAt(volume, 'csi', 'nodePublishSecretRef', 'name'),
    ...WITH_SECRET_REF.map((source) => textAt(volume, source, 'secretRef', 'name')),
  );
  names.configmap.push(textAt(volume, 'configMap', 'name'));
  for (const source of listAt(at(volume, 'projected'), 'sources')) {
    names.secret.push(textAt(source, 'secret', 'name'));
    names.configmap.push(textAt(source, 'configMap', 'name'));
  }
  names.persistentvolumeclaim.push(textAt(volume, 'persistentVolumeClaim', 'claimName'));
  if (at(volume, 'ephemeral')) names.persistentvolumeclaim.push(`${pod}-${textAt(volume, 'name')}`);
}

/** The claim that a volume is bound to, and the secrets that a node needs for it. */
export interface VolumeReferences {
  /** Claim of the volume. */
  readonly claim: ReferenceKey;
  /** Secrets in any namespace. */
  readonly secrets: readonly ReferenceKey[];
}

/** Returns undefined for a volume without a claim. */
export function referencesOfVolume(volume: unknown): VolumeReferences | undefined {
  const spec = at(volume, 'spec');
  const [namespace, name] = [textAt(spec, 'claimRef', 'namespace'), textAt(spec, 'claimRef', 'name')];
  if (!isJson(at(spec, 'claimRef'))) return undefined;
  const named = (within: string, secret: string) => (secret === '' ? [] : [referenceKey('secret', within, secret)]);
  const referenced = (...path: readonly string[]) =>
    named(textAt(spec, ...path, 'namespace') || namespace, textAt(spec, ...path, 'name'));
  return {
    claim: referenceKey('persistentvolumeclaim', namespace, name),
    secrets: [
      ...named(textAt(spec, 'azureFile', 'secretNamespace') || namespace, textAt(spec, 'azureFile', 'secretName')),
      ...WITH_SECRET_REF.flatMap((source) => referenced(source, 'secretRef')),
      ...['nodePublishSecretRef', 'nodeStageSecretRef', 'nodeExpandSecretRef'].flatMap((ref) => referenced('csi', ref)),
    ],
  };
}
