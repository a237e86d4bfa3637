import {
  addressFamily,
  contentKeyErrors,
  dnsLabelErrors,
  dnsSubdomainErrors,
  duplicate,
  type FieldError,
  forbiddenField,
  internalError,
  invalidValue,
  labelValueErrors,
  type Names,
  prefixLength,
  qualifiedNameErrors,
  required,
  VerbatimValue,
} from '@orch/machinery';
import type { ConfigMapNodeConfigSource, Node, NodeConfigSource, Taint } from '@orch/schema/types/core/v1';
import { invalidEach, oneOf } from '../rules/checks.js';
import { each, refuseRepeated } from '../rules/lists.js';
import { validateResourceAmount } from '../rules/resource-names.js';
import { equal } from '../values/equal.js';
import { shownStrings } from '../values/go-syntax.js';
import { shownStruct } from '../values/go-values.js';

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];
const CIDRS = 'spec.podCIDRs';

/** The taints of a node and the networks of its pods. Errors name the taints under metadata, as clients know them. */
export const validateNode = ({ spec }: Node): FieldError[] => [
  ...validateTaints(spec?.taints ?? [], 'metadata.taints'),
  ...validateNetworks(spec?.podCIDRs ?? []),
  ...validateConfiguration(spec?.configSource),
];

const validateConfiguration = (source: NodeConfigSource | undefined): FieldError[] =>
  source ? validateSource(source, 'spec.configSource', refuseIdentity) : [];

function validateTaints(taints: readonly Taint[], path: string): FieldError[] {
  const seen = new Set<string>();
  return each(taints, path, (taint, field) => {
    const [key, value, effect] = (['key', 'value', 'effect'] as const).map((name) => taint[name] ?? '') as [
      string,
      string,
      string,
    ];
    const wrong = labelValueErrors(value);
    const pair = `${key}\n${effect}`;
    const again = seen.has(pair);
    seen.add(pair);
    return [
      ...invalidEach(`${field}.key`, key, qualifiedNameErrors(key)),
      ...(wrong.length > 0 ? [invalidValue(`${field}.value`, value, wrong.join(';'))] : []),
      ...oneOf(`${field}.effect`, effect, EFFECTS),
      ...(again ? [duplicate(field, shownTaint(taint), 'taints must be unique by key and effect pair')] : []),
    ];
  });
}

const shownTaint = (taint: Taint): VerbatimValue =>
  shownStruct('core.Taint', {
    Key: taint.key ?? '',
    Value: taint.value ?? '',
    Effect: taint.effect ?? '',
    TimeAdded: new VerbatimValue(taint.timeAdded || '<nil>'),
  });

/** Checks that there is at most one network of each family. */
function validateNetworks(networks: readonly string[]): FieldError[] {
  const shown = shownStrings(networks);
  const families = new Set(networks.map((network) => addressFamily(network.split('/')[0] ?? '')));
  const errors = each(networks, CIDRS, (network, field) =>
    prefixLength(network) === undefined ? [invalidValue(field, shown, 'must be valid CIDR')] : [],
  );
  if (networks.length < 2) return errors;
  const wrong = networks.findIndex((network) => prefixLength(network) === undefined);
  if (wrong >= 0) {
    const cause = `invalid CIDR[${wrong}]: <nil> (invalid CIDR address: ${networks[wrong]})`;
    errors.push(internalError(CIDRS, `invalid PodCIDRs. failed to check with dual stack with error:${cause}`));
  }
  if (networks.length > 2 || families.size < 2 || errors.length > 0) {
    errors.push(invalidValue(CIDRS, shown, 'may specify no more than one CIDR for each IP family'));
  }
  return [...errors, ...refuseRepeated(networks, CIDRS)];
}

/** Refuses changes of networks and provider id of a node once they are set. */
export function validateNodeUpdate(object: Node, old: Node): FieldError[] {
  const errors: FieldError[] = [];
  const networks = old.spec?.podCIDRs ?? [];
  const only = (name: string) => `node updates may not change ${name} except from "" to valid`;
  if (networks.length > 0 && !equal(networks, object.spec?.podCIDRs ?? [])) {
    errors.push(forbiddenField(CIDRS, only('podCIDR')));
  }
  const provider = old.spec?.providerID ?? '';
  if (provider !== '' && provider !== (object.spec?.providerID ?? '')) {
    errors.push(forbiddenField('spec.providerID', only('providerID')));
  }
  if ((object.spec?.externalID ?? '') !== (old.spec?.externalID ?? '')) {
    errors.push(forbiddenField('spec.externalID', 'may not be updated'));
  }
  return errors;
}

/** Checks the resources of a node, which its agent may send when it registers the node. */
export const validateNodeResources = (object: Node, names: Names): FieldError[] =>
  (['capacity', 'allocatable'] as const).flatMap((list) =>
    Object.entries(object.status?.[list] ?? {}).flatMap(([name, amount]) =>
      validateResourceAmount(name, amount, `status.${list}.${name}`, names),
    ),
  );

/** Checks the status of a node: resources, distinct addresses, and configuration sources. */
export function validateNodeStatus(object: Node, names: Names): FieldError[] {
  const seen = new Set<string>();
  const addresses = each(object.status?.addresses ?? [], 'status.addresses', (entry, field) => {
    const [type, address] = [entry.type ?? '', entry.address ?? ''];
    if (!seen.has(`${type} ${address}`)) {
      seen.add(`${type} ${address}`);
      return [];
    }
    return [duplicate(field, shownStruct('core.NodeAddress', { Type: type, Address: address }))];
  });
  const config = (['assigned', 'active', 'lastKnownGood'] as const).flatMap((name) => {
    const source = object.status?.config?.[name];
    return source ? validateSource(source, `status.config.${name}`, requireIdentity) : [];
  });
  return [...validateNodeResources(object, names), ...addresses, ...config];
}

/** Checks the source that an agent once took its configuration from. Kept for nodes that still have one. */
function validateSource(
  source: NodeConfigSource,
  path: string,
  identity: (map: ConfigMapNodeConfigSource, path: string) => FieldError[],
): FieldError[] {
  const map = source.configMap;
  if (!map) {
    const shown = new VerbatimValue('core.NodeConfigSource{ConfigMap:(*core.ConfigMapNodeConfigSource)(nil)}');
    return [invalidValue(path, shown, 'exactly one reference subfield must be non-nil')];
  }
  const field = `${path}.configMap`;
  return [
    ...identity(map, field),
    ...setText(map, field, 'namespace', dnsLabelErrors),
    ...setText(map, field, 'name', dnsSubdomainErrors),
    ...setText(map, field, 'kubeletConfigKey', contentKeyErrors),
  ];
}

const IDENTITY = ['uid', 'resourceVersion'] as const;

const refuseIdentity = (map: ConfigMapNodeConfigSource, path: string): FieldError[] =>
  IDENTITY.filter((name) => (map[name] ?? '') !== '').map((name) =>
    forbiddenField(`${path}.${name}`, `${name} must not be set in spec`),
  );

const requireIdentity = (map: ConfigMapNodeConfigSource, path: string): FieldError[] =>
  IDENTITY.filter((name) => (map[name] ?? '') === '').map((name) =>
    required(`${path}.${name}`, `${name} must be set in status`),
  );

function setText(
  map: ConfigMapNodeConfigSource,
  path: string,
  name: 'namespace' | 'name' | 'kubeletConfigKey',
  check: (value: string) => string[],
): FieldError[] {
  const value = map[name] ?? '';
  if (value === '') return [required(`${path}.${name}`, `${name} must be set`)];
  return invalidEach(`${path}.${name}`, value, check(value));
}
