import {
  contains,
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  prefixLength,
  required,
} from '@orch/machinery';
import type {
  IPBlock,
  NetworkPolicyPeer,
  NetworkPolicyPort,
  NetworkPolicySpec,
} from '@orch/schema/types/networking/v1';
import { invalidEach, isOneOf, portErrors, portNumberErrors } from '../rules/checks.js';
import { hasStrangeValue, validateLabelSelector } from '../rules/label-selector.js';
import { each } from '../rules/lists.js';
import { shownList } from '../values/go-values.js';

const PROTOCOLS = ['TCP', 'UDP', 'SCTP'];
const POLICY_TYPES = ['Ingress', 'Egress'];

/** `old` is the stored spec, in an update. */
export function validateNetworkPolicy(spec: NetworkPolicySpec | undefined, old?: NetworkPolicySpec): FieldError[] {
  const lenient = hasStrangeValue(old?.podSelector);
  const types = spec?.policyTypes ?? [];
  return [
    ...validateLabelSelector(spec?.podSelector, 'spec.podSelector', lenient),
    ...each(spec?.ingress ?? [], 'spec.ingress', ({ ports, from }, path) =>
      validatePeers(ports, from, path, `${path}.from`, lenient),
    ),
    ...each(spec?.egress ?? [], 'spec.egress', ({ ports, to }, path) =>
      validatePeers(ports, to, path, `${path}.to`, lenient),
    ),
    ...(types.length > POLICY_TYPES.length
      ? [
          invalidValue(
            'spec.policyTypes',
            shownList('networking.PolicyType', types),
            'may not specify more than two policyTypes',
          ),
        ]
      : types.flatMap((type, index) =>
          POLICY_TYPES.includes(type) ? [] : [notSupported(`spec.policyTypes[${index}]`, type, POLICY_TYPES)],
        )),
  ];
}

function validatePeers(
  ports: readonly NetworkPolicyPort[] = [],
  peers: readonly NetworkPolicyPeer[] = [],
  path: string,
  peersPath: string,
  lenient: boolean,
): FieldError[] {
  return [
    ...each(ports, `${path}.ports`, validatePort),
    ...each(peers, peersPath, (peer, at) => validatePeer(peer, at, lenient)),
  ];
}

function validatePort({ protocol, port, endPort }: NetworkPolicyPort, path: string): FieldError[] {
  const errors = isOneOf(`${path}.protocol`, protocol, PROTOCOLS);
  const last = typeof endPort === 'number' ? endPort : undefined;
  const field = `${path}.endPort`;
  if (port === undefined || port === null) {
    if (last !== undefined) errors.push(invalidValue(field, last, 'may not be specified when `port` is not specified'));
    return errors;
  }
  if (last !== undefined && typeof port === 'string') {
    errors.push(invalidValue(field, last, 'may not be specified when `port` is non-numeric'));
  }
  errors.push(...portErrors(`${path}.port`, port));
  if (last === undefined || typeof port === 'string') return errors;
  if (last < Number(port)) errors.push(invalidValue(field, port, 'must be greater than or equal to `port`'));
  return [...errors, ...invalidEach(field, last, portNumberErrors(last))];
}

function validatePeer(peer: NetworkPolicyPeer, path: string, lenient: boolean): FieldError[] {
  const present = (['podSelector', 'namespaceSelector', 'ipBlock'] as const).filter((name) => peer[name]);
  const errors = [
    ...validateLabelSelector(peer.podSelector, `${path}.podSelector`, lenient),
    ...validateLabelSelector(peer.namespaceSelector, `${path}.namespaceSelector`, lenient),
    ...(peer.ipBlock ? validateBlock(peer.ipBlock, `${path}.ipBlock`) : []),
  ];
  if (present.length === 0) errors.push(required(path, 'must specify a peer'));
  if (present.length > 1 && present.includes('ipBlock')) {
    errors.push(forbiddenField(path, 'may not specify both ipBlock and another peer'));
  }
  return errors;
}

function validateBlock(block: IPBlock, path: string): FieldError[] {
  const cidr = block.cidr ?? '';
  if (cidr === '') return [required(`${path}.cidr`)];
  if (prefixLength(cidr) === undefined) return [invalidValue(`${path}.cidr`, cidr, 'not a valid CIDR')];
  const errors: FieldError[] = [];
  for (const [index, except] of (block.except ?? []).entries()) {
    const field = `${path}.except[${index}]`;
    // What follows is not looked at.
    if (prefixLength(except) === undefined) return [...errors, invalidValue(field, except, 'not a valid CIDR')];
    if (!contains(cidr, except)) errors.push(invalidValue(field, except, 'must be a strict subset of `cidr`'));
  }
  return errors;
}
