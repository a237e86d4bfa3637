import type { LoadBalancerStatus, Service, ServicePort, ServiceSpec } from '@orch/schema/types/core/v1';
import type { IngressLoadBalancerStatus } from '@orch/schema/types/networking/v1';
import type { KindDeclaration } from '../rules/kind-rules.js';
import { ensureObject, fill } from '../values/fields.js';
import { formatLabels, joined, orNone } from '../values/text.js';
import { serviceWarnings } from '../warnings/services.js';
import { validateBalancerStatus } from './balancer-status.js';
import { allocateService, releaseService } from './service-allocation.js';
import { addressesOf } from './service-families.js';
import { settleUpdate } from './service-update.js';
import { validateService, validateServiceUpdate } from './service-validation.js';

const CLIENT_IP_TIMEOUT_SECONDS = 10800;

/** Rules of Service, with allocation of cluster IPs and node ports. */
export const service: KindDeclaration<Service> = {
  nameRule: 'dns1035',
  createOnUpdate: true,
  defaults(object) {
    const spec = ensureObject(object, 'spec');
    defaultAffinity(spec);
    defaultTraffic(spec);
    for (const port of spec.ports ?? []) {
      if (!port.targetPort) port.targetPort = port.port;
    }
  },
  prepareForCreate({ spec }) {
    if (spec && addressesOf(spec).length > 0) spec.clusterIPs = addressesOf(spec);
  },
  prepareForUpdate: settleUpdate,
  validate: validateService,
  validateUpdate: validateServiceUpdate,
  warnings: serviceWarnings,
  validateStatus: validateBalancerStatus,
  allocate: allocateService,
  release: releaseService,
  row: (object) => ({
    Type: object.spec?.type ?? '',
    'Cluster-IP': orNone(object.spec?.clusterIPs?.[0] ?? object.spec?.clusterIP ?? ''),
    'External-IP': externalAddress(object),
    'Port(s)': joined((object.spec?.ports ?? []).map(portText)),
    Selector: formatLabels(object.spec?.selector ?? {}),
  }),
  selectableFields: {
    'spec.clusterIP': (object) => object.spec?.clusterIP ?? '',
    'spec.type': (object) => object.spec?.type ?? '',
  },
};

function defaultAffinity(spec: ServiceSpec): void {
  fill(spec, 'sessionAffinity', 'None');
  if (spec.sessionAffinity === 'None') delete spec.sessionAffinityConfig;
  if (spec.sessionAffinity !== 'ClientIP') return;
  fill(
    ensureObject(ensureObject(spec, 'sessionAffinityConfig'), 'clientIP'),
    'timeoutSeconds',
    CLIENT_IP_TIMEOUT_SECONDS,
  );
}

function defaultTraffic(spec: ServiceSpec): void {
  const type = spec.type ?? '';
  const outside = type === 'NodePort' || type === 'LoadBalancer';
  if (outside) fill(spec, 'externalTrafficPolicy', 'Cluster');
  if (outside || type === 'ClusterIP') fill(spec, 'internalTrafficPolicy', 'Cluster');
  if (type === 'LoadBalancer') fill(spec, 'allocateLoadBalancerNodePorts', true);
}

function externalAddress(object: Service): string {
  const listed = object.spec?.externalIPs ?? [];
  switch (object.spec?.type ?? '') {
    case 'ExternalName':
      return object.spec?.externalName ?? '';
    case 'LoadBalancer': {
      const balanced = loadBalancerAddresses(object.status?.loadBalancer);
      return [...balanced, ...listed].join(',') || '<pending>';
    }
    default:
      return joined(listed);
  }
}

/** Addresses that a load balancer's status names, each once and in order. */
export const loadBalancerAddresses = (status: LoadBalancerStatus | IngressLoadBalancerStatus | undefined): string[] => {
  const named = (status?.ingress ?? []).flatMap((entry) => entry.ip || entry.hostname || []);
  return [...new Set(named)].sort();
};

function portText(port: ServicePort): string {
  const node = port.nodePort ?? 0;
  return `${port.port ?? 0}${node ? `:${node}` : ''}/${port.protocol ?? ''}`;
}
