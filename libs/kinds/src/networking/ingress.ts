import type { Names } from '@orch/machinery';
import type { Ingress } from '@orch/schema/types/networking/v1';
import { validateBalancerStatus } from '../core/balancer-status.js';
import { loadBalancerAddresses } from '../core/service.js';
import type { KindDeclaration } from '../rules/kind-rules.js';
import { isEmpty } from '../values/fields.js';
import { orNone } from '../values/text.js';
import { validateIngress, validateIngressAnnotation } from './ingress-validation.js';

const MAX_HOSTS = 3;

/** Rules of Ingress. */
export const ingress: KindDeclaration<Ingress> = {
  generation: true,
  validate: ({ spec }, _names, old) => validateIngress(spec, old?.spec),
  validateCreate: validateIngressAnnotation,
  validateStatus: validateBalancerStatus,
  warnings: classWarnings,
  row: (object) => ({
    Class: orNone(object.spec?.ingressClassName ?? ''),
    Hosts: hosts(object),
    Address: loadBalancerAddresses(object.status?.loadBalancer).join(','),
    Ports: isEmpty(object.spec?.tls) ? '80' : '80, 443',
  }),
};

function hosts(object: Ingress): string {
  const rules = (object.spec?.rules ?? []).map((rule) => rule.host ?? '');
  const named: string[] = [];
  let seen = 0;
  while (seen < rules.length && named.length < MAX_HOSTS) {
    const host = rules[seen++];
    if (host) named.push(host);
  }
  if (named.length === 0) return '*';
  // How many more there are is counted from the rules, also from those for any host.
  return seen < rules.length ? `${named.join(',')} + ${rules.length - MAX_HOSTS} more...` : named.join(',');
}

function classWarnings(object: Ingress, names: Names, old?: Ingress): string[] {
  const key = names.key('orch.io/ingress.class');
  const isAnnotated = object.metadata?.annotations?.[key] !== undefined;
  if (old || !isAnnotated || object.spec?.ingressClassName !== undefined) return [];
  return [`annotation "${key}" is deprecated, please use 'spec.ingressClassName' instead`];
}
