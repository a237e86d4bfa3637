import {
  type ApiObject,
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
import { invalidEach, oneOf } from '../rules/checks.js';
import { each, refuseRepeated } from '../rules/lists.js';
import { validateResourceAmount } from '../rules/resource-names.js';
import { equal } from '../values/equal.js';
import { at, isObject, type Json, mapAt, objectsAt, stringsAt, textAt } from '../values/fields.js';
import { shownStrings } from '../values/go-syntax.js';
import { shownStruct } from '../values/go-values.js';

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];
const CIDRS = 'spec.podCIDRs';

/** The taints of a node and the networks of its pods. Errors name the taints under metadata, as clients know them. */
export const validateNode = ({ spec }: ApiObject): FieldError[] => [
  ...validateTaints(objectsAt(spec, 'taints'), 'metadata.taints'),
  ...validateNetworks(stringsAt(spec, 'podCIDRs')),
  ...validateConfiguration(at(spec, 'configSource')),
];

const validateConfiguration = (source: unknown): FieldError[] =>
  isObject(source) ? validateSource(source, 'spec.configSource', refuseIdentity) : [];

function validateTaints(taints: readonly Json[], path: string): FieldError[] {
  const seen = new Set<string>();
  return each(taints, path, (taint, field) => {
    const [key, value, effect] = ['key', 'value', 'effect'].map((name) => textAt(taint, name)) as [
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

const shownTaint = (taint: Json): VerbatimValue =>
  shownStruct('core.Taint', {
    Key: textAt(taint, 'key'),
    Value: textAt(taint, 'value'),
    Effect: textAt(taint, 'effect'),
    TimeAdded: new VerbatimValue(textAt(taint, 'timeAdded') || '<nil>'),
  });

/** One network of each family. */
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

/** Networks and the provider's name of a node are said once. */
export function validateNodeUpdate(object: ApiObject, old: ApiObject): FieldError[] {
  const errors: FieldError[] = [];
  const networks = stringsAt(old, 'spec', 'podCIDRs');
  const only = (name: string) => `node updates may not change ${name} except from "" to valid`;
  if (networks.length > 0 && !equal(networks, stringsAt(object, 'spec', 'podCIDRs'))) {
    errors.push(forbiddenField(CIDRS, only('podCIDR')));
  }
  const provider = textAt(old, 'spec', 'providerID');
  if (provider !== '' && provider !== textAt(object, 'spec', 'providerID')) {
    errors.push(forbiddenField('spec.providerID', only('providerID')));
  }
  if (textAt(object, 'spec', 'externalID') !== textAt(old, 'spec', 'externalID')) {
    errors.push(forbiddenField('spec.externalID', 'may not be updated'));
  }
  return errors;
}

/** What a node can do; its agent may say so when it registers it. */
export const validateNodeResources = (object: ApiObject, names: Names): FieldError[] =>
  ['capacity', 'allocatable'].flatMap((list) =>
    Object.entries(mapAt(object, 'status', list)).flatMap(([name, amount]) =>
      validateResourceAmount(name, amount, `status.${list}.${name}`, names),
    ),
  );

export function validateNodeStatus(object: ApiObject, names: Names): FieldError[] {
  const seen = new Set<string>();
  const addresses = each(objectsAt(object, 'status', 'addresses'), 'status.addresses', (entry, field) => {
    const [type, address] = [textAt(entry, 'type'), textAt(entry, 'address')];
    if (!seen.has(`${type} ${address}`)) {
      seen.add(`${type} ${address}`);
      return [];
    }
    return [duplicate(field, shownStruct('core.NodeAddress', { Type: type, Address: address }))];
  });
  const config = ['assigned', 'active', 'lastKnownGood'].flatMap((name) => {
    const source = at(object, 'status', 'config', name);
    return isObject(source) ? validateSource(source, `status.config.${name}`, requireIdentity) : [];
  });
  return [...validateNodeResources(object, names), ...addresses, ...config];
}

/** Where an agent once took its configuration from. Kept for nodes that still say so. */
function validateSource(source: Json, path: string, identity: (map: Json, path: string) => FieldError[]): FieldError[] {
  const map = source.configMap;
  if (!isObject(map)) {
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

const IDENTITY = ['uid', 'resourceVersion'];

const refuseIdentity = (map: Json, path: string): FieldError[] =>
  IDENTITY.filter((name) => textAt(map, name) !== '').map((name) =>
    forbiddenField(`${path}.${name}`, `${name} must not be set in spec`),
  );

const requireIdentity = (map: Json, path: string): FieldError[] =>
  IDENTITY.filter((name) => textAt(map, name) === '').map((name) =>
    required(`${path}.${name}`, `${name} must be set in status`),
  );

function setText(map: Json, path: string, name: string, check: (value: string) => string[]): FieldError[] {
  const value = textAt(map, name);
  if (value === '') return [required(`${path}.${name}`, `${name} must be set`)];
  return invalidEach(`${path}.${name}`, value, check(value));
}
