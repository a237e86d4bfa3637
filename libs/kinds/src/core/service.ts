import type { ApiObject } from '@orch/machinery';
import type { KindDeclaration } from '../rules/kind-rules.js';
import {
  at,
  countAt,
  ensureObject,
  fill,
  isObject,
  type Json,
  mapAt,
  objectsAt,
  stringsAt,
  textAt,
} from '../values/fields.js';
import { formatLabels, joined, orNone } from '../values/text.js';
import { serviceWarnings } from '../warnings/services.js';
import { validateBalancerStatus } from './balancer-status.js';
import { allocateService, releaseService } from './service-allocation.js';
import { addressesOf } from './service-families.js';
import { settleUpdate } from './service-update.js';
import { validateService, validateServiceUpdate } from './service-validation.js';

const CLIENT_IP_TIMEOUT_SECONDS = 10800;

export const service: KindDeclaration = {
  nameRule: 'dns1035',
  createOnUpdate: true,
  defaults(object) {
    const spec = ensureObject(object, 'spec');
    defaultAffinity(spec);
    defaultTraffic(spec);
    for (const port of objectsAt(spec, 'ports')) {
      if (!port.targetPort) port.targetPort = port.port;
    }
  },
  prepareForCreate({ spec }) {
    if (isObject(spec) && addressesOf(spec).length > 0) spec.clusterIPs = addressesOf(spec);
  },
  prepareForUpdate: settleUpdate,
  validate: validateService,
  validateUpdate: validateServiceUpdate,
  warnings: serviceWarnings,
  validateStatus: validateBalancerStatus,
  allocate: allocateService,
  release: releaseService,
  row: (object) => ({
    Type: textAt(object, 'spec', 'type'),
    'Cluster-IP': orNone(stringsAt(object, 'spec', 'clusterIPs')[0] ?? textAt(object, 'spec', 'clusterIP')),
    'External-IP': externalAddress(object),
    'Port(s)': joined(objectsAt(object, 'spec', 'ports').map(portText)),
    Selector: formatLabels(mapAt(object, 'spec', 'selector')),
  }),
  selectableFields: {
    'spec.clusterIP': (object) => textAt(object, 'spec', 'clusterIP'),
    'spec.type': (object) => textAt(object, 'spec', 'type'),
  },
};

function defaultAffinity(spec: Json): void {
  fill(spec, 'sessionAffinity', 'None');
  if (spec.sessionAffinity === 'None') delete spec.sessionAffinityConfig;
  if (spec.sessionAffinity !== 'ClientIP') return;
  fill(
    ensureObject(ensureObject(spec, 'sessionAffinityConfig'), 'clientIP'),
    'timeoutSeconds',
    CLIENT_IP_TIMEOUT_SECONDS,
  );
}

function defaultTraffic(spec: Json): void {
  const type = textAt(spec, 'type');
  const outside = type === 'NodePort' || type === 'LoadBalancer';
  if (outside) fill(spec, 'externalTrafficPolicy', 'Cluster');
  if (outside || type === 'ClusterIP') fill(spec, 'internalTrafficPolicy', 'Cluster');
  if (type === 'LoadBalancer') fill(spec, 'allocateLoadBalancerNodePorts', true);
}

function externalAddress(object: ApiObject): string {
  const listed = stringsAt(object, 'spec', 'externalIPs');
  switch (textAt(object, 'spec', 'type')) {
    case 'ExternalName':
      return textAt(object, 'spec', 'externalName');
    case 'LoadBalancer': {
      const balanced = loadBalancerAddresses(at(object, 'status', 'loadBalancer'));
      return [...balanced, ...listed].join(',') || '<pending>';
    }
    default:
      return joined(listed);
  }
}

/** Addresses that a load balancer's status names, each once and in order. */
export const loadBalancerAddresses = (status: unknown): string[] => {
  const named = objectsAt(status, 'ingress').flatMap((entry) => textAt(entry, 'ip') || textAt(entry, 'hostname') || []);
  return [...new Set(named)].sort();
};

function portText(port: Json): string {
  const node = countAt(port, 'nodePort');
  return `${countAt(port, 'port')}${node ? `:${node}` : ''}/${textAt(port, 'protocol')}`;
}
