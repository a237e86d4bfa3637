import { addressFamily, type FieldError, invalidValue, prefixLength, required } from '@orch/machinery';
import type { ClusterCIDR, ClusterCIDRSpec } from '@orch/schema/types/networking/v1alpha1';
import { immutableField } from '../rules/immutable.js';
import type { KindDeclaration } from '../rules/kind-rules.js';
import { validateNodeSelector } from '../rules/node-selector.js';
import { joined, NONE, orNone } from '../values/text.js';

const LEAST_HOST_BITS = 4;

/** Rules of ClusterCIDR; ranges and node selector are immutable. */
export const clusterCidr: KindDeclaration<ClusterCIDR> = {
  nameRule: 'label',
  validate: ({ spec }) => validateRanges(spec),
  validateUpdate: (object, old) =>
    (['nodeSelector', 'perNodeHostBits', 'ipv4', 'ipv6'] as const).flatMap((name) =>
      immutableField(object, old, 'spec', name),
    ),
  row: (object) => ({
    PerNodeHostBits: String(object.spec?.perNodeHostBits ?? 0),
    IPv4: orNone(object.spec?.ipv4 ?? ''),
    IPv6: orNone(object.spec?.ipv6 ?? ''),
    NodeSelector: nodeSelector(object),
  }),
};

/** Terms are alternatives, the requirements of one all hold. */
function nodeSelector(object: ClusterCIDR): string {
  const terms = (object.spec?.nodeSelector?.nodeSelectorTerms ?? []).map((term) =>
    (term.matchExpressions ?? [])
      .map((each) => `${each.key ?? ''} ${each.operator ?? ''} [${(each.values ?? []).join(' ')}]`)
      .join(','),
  );
  return terms.length === 0 ? NONE : joined(terms, ' OR ');
}

function validateRanges(spec: ClusterCIDRSpec | undefined): FieldError[] {
  const selector = spec?.nodeSelector;
  const ranges = (['ipv4', 'ipv6'] as const).map((name) => spec?.[name] ?? '');
  const errors = selector ? validateNodeSelector(selector, 'spec.nodeSelector') : [];
  if (ranges.every((range) => range === '')) {
    return [...errors, required('spec', 'one or both of `ipv4` and `ipv6` must be specified')];
  }
  const bits = spec?.perNodeHostBits ?? 0;
  return [
    ...errors,
    ...ranges.flatMap((range, index) => (range === '' ? [] : validateRange(range, index === 0, bits))),
  ];
}

/** Errors name the range by its family, as clients know it. */
function validateRange(range: string, v4: boolean, hostBits: number): FieldError[] {
  const family = v4 ? 'IPv4' : 'IPv6';
  const length = prefixLength(range);
  if (length === undefined) return [invalidValue(`spec.${family}`, range, `must be a valid CIDR: ${range}`)];
  const fits = addressFamily(range.split('/')[0] ?? '') === (v4 ? 4 : 6);
  const most = (v4 ? 32 : 128) - length;
  const refuse = (text: string) => invalidValue('spec.perNodeHostBits', hostBits, text);
  return [
    ...(fits ? [] : [invalidValue(`spec.${family}`, range, `must be a valid ${family} CIDR`)]),
    ...(hostBits < LEAST_HOST_BITS ? [refuse(`must be greater than or equal to ${LEAST_HOST_BITS}`)] : []),
    ...(hostBits > most ? [refuse(`must be less than or equal to ${most}`)] : []),
  ];
}
