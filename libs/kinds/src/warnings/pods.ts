import type { Names } from '@orch/machinery';
import type { Pod, PodSpec, PodTemplateSpec, Volume } from '@orch/schema/types/core/v1';
import { type AnyContainer, eachContainer } from '../pods/containers.js';
import { countOf } from '../values/fields.js';
import { claimWarnings, fractionWarnings } from './amounts.js';
import { keyWarnings, labelWarnings, matchWarnings, termWarnings } from './node-labels.js';

/** Annotations that do nothing any more. */
const ANNOTATIONS: readonly (readonly [key: string, text: string])[] = [
  ['scheduler.alpha.orch.io/critical-pod', 'non-functional in v1.16+; use the "priorityClassName" field instead'],
  ['security.alpha.orch.io/sysctls', 'non-functional in v1.11+; use the "sysctls" field instead'],
  ['security.alpha.orch.io/unsafe-sysctls', 'non-functional in v1.11+; use the "sysctls" field instead'],
];
const PROFILE_OF_POD = 'seccomp.security.alpha.orch.io/pod';
const PROFILE_OF_CONTAINER = 'container.seccomp.security.alpha.orch.io/';
const USE_FIELD = 'non-functional in v1.27+; use the "seccompProfile" field instead';

/** Sources of volumes that are going or gone. */
const SOURCES: { readonly [source in keyof Volume]?: string } = {
  photonPersistentDisk: 'deprecated in v1.11, non-functional in v1.16+',
  gitRepo: 'deprecated in v1.11',
  scaleIO: 'deprecated in v1.16, non-functional in v1.22+',
  flocker: 'deprecated in v1.22, non-functional in v1.25+',
  storageos: 'deprecated in v1.22, non-functional in v1.25+',
  quobyte: 'deprecated in v1.22, non-functional in v1.25+',
  glusterfs: 'deprecated in v1.25, non-functional in v1.26+',
};
/** The names of sources in messages, where they differ. */
const SHOWN_SOURCES: Readonly<Record<string, string>> = { storageos: 'storageOS' };
const BYTES = ['memory', 'ephemeral-storage'];

/** Warns of a pod or a template. @param path of the template; empty for a pod */
export function podWarnings(pod: Pod | PodTemplateSpec | undefined, path: string, names: Names): string[] {
  const { metadata = {}, spec }: PodTemplateSpec = pod ?? {};
  const annotations = metadata.annotations ?? {};
  const profileKey = names.key(PROFILE_OF_CONTAINER);
  const [meta, own] = path === '' ? ['metadata', 'spec'] : [`${path}.metadata`, `${path}.spec`];
  return [
    ...placementWarnings(spec, own, names),
    ...ANNOTATIONS.flatMap(([key, text]) => annotationWarnings(annotations, names.key(key), text, meta)),
    ...(spec?.volumes ?? []).flatMap((volume, index) => volumeWarnings(volume, `${own}.volumes[${index}]`)),
    ...listWarnings(spec, own),
    ...fractionWarnings(spec?.overhead, BYTES, `${own}.overhead`),
    ...profileWarnings(spec, annotations, names.key(PROFILE_OF_POD), meta),
    ...eachContainer(spec, own, (container, place) => [
      ...profileWarnings(container, annotations, profileKey + (container.name ?? ''), meta),
      ...(['limits', 'requests'] as const).flatMap((name) =>
        fractionWarnings(container.resources?.[name], BYTES, `${place}.resources.${name}`),
      ),
      ...repeated(container.env ?? [], 'name', `${place}.env`),
    ]),
    ...(countOf(spec?.terminationGracePeriodSeconds) < 0
      ? [`${own}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`]
      : []),
  ];
}

/** Warns of labels of nodes that have a later name. */
function placementWarnings(spec: PodSpec | undefined, path: string, names: Names): string[] {
  const affinity = `${path}.affinity.nodeAffinity`;
  const required = 'requiredDuringSchedulingIgnoredDuringExecution';
  const preferred = 'preferredDuringSchedulingIgnoredDuringExecution';
  const node = spec?.affinity?.nodeAffinity;
  return [
    ...keyWarnings(
      Object.keys(spec?.nodeSelector ?? {}).map((label) => [`${path}.nodeSelector[${label}]`, label]),
      names,
    ),
    ...termWarnings(node?.[required]?.nodeSelectorTerms ?? [], `${affinity}.${required}.nodeSelectorTerms`, names),
    ...(node?.[preferred] ?? []).flatMap((term, index) =>
      matchWarnings(term.preference, `${affinity}.${preferred}[${index}].preference`, names),
    ),
    ...labelWarnings(
      (spec?.topologySpreadConstraints ?? []).map((constraint, index) => [
        `${path}.topologySpreadConstraints[${index}].topologyKey`,
        constraint.topologyKey ?? '',
      ]),
      names,
    ),
  ];
}

const annotationWarnings = (
  annotations: Readonly<Record<string, string>>,
  key: string,
  text: string,
  meta: string,
): string[] => (Object.hasOwn(annotations, key) ? [`${meta}.annotations[${key}]: ${text}`] : []);

/** @param holder what may have a profile of its own, in place of the annotation */
const profileWarnings = (
  holder: PodSpec | AnyContainer | undefined,
  annotations: Readonly<Record<string, string>>,
  key: string,
  meta: string,
): string[] => (holder?.securityContext?.seccompProfile ? [] : annotationWarnings(annotations, key, USE_FIELD, meta));

function volumeWarnings(volume: Volume, path: string): string[] {
  const template = volume.ephemeral?.volumeClaimTemplate;
  return [
    ...Object.entries(SOURCES)
      .filter(([source]) => volume[source as keyof Volume])
      .map(([source, text]) => `${path}.${SHOWN_SOURCES[source] ?? source}: ${text}`),
    ...(template ? claimWarnings(template.spec, `${path}.ephemeral.volumeClaimTemplate.spec`) : []),
  ];
}

/** Warns of lists that should be sets. */
function listWarnings(spec: PodSpec | undefined, path: string): string[] {
  const secrets = spec?.imagePullSecrets ?? [];
  return [
    ...repeated(spec?.hostAliases ?? [], 'ip', `${path}.hostAliases`),
    ...repeated(secrets, 'name', `${path}.imagePullSecrets`),
    ...secrets.flatMap((secret, index) =>
      (secret.name ?? '') === '' ? [`${path}.imagePullSecrets[${index}].name: invalid empty name ""`] : [],
    ),
    ...repeated(spec?.volumes ?? [], 'name', `${path}.volumes`),
  ];
}

function repeated<K extends 'ip' | 'name'>(
  items: readonly { [member in K]?: string }[],
  member: K,
  path: string,
): string[] {
  const seen = new Set<string>();
  return items.flatMap((item, index) => {
    const value = item[member] ?? '';
    if (seen.has(value)) return [`${path}[${index}].${member}: duplicate ${member} ${JSON.stringify(value)}`];
    seen.add(value);
    return [];
  });
}
