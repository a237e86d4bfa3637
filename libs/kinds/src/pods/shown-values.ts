import { VerbatimValue } from '@orch/machinery';
import type {
  Capabilities,
  ClaimSource,
  ContainerResizePolicy,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  PodIP,
  PodSpec,
  SELinuxOptions,
  SeccompProfile,
  SecurityContext,
  Toleration,
  WindowsSecurityContextOptions,
} from '@orch/schema/types/core/v1';
import { shownMap } from '../values/go-syntax.js';

/**
 * Parts of pods as the reference system prints them in messages, see {@link shownMap}. Of what it points to it prints
 * addresses, which differ each time; here they are all the same.
 */

const ADDRESS = '0xc000000000';
const quoted = (text: string | undefined): string => JSON.stringify(text ?? '');

const pointer = (
  value:
    | number
    | bigint
    | string
    | boolean
    | SeccompProfile
    | Capabilities
    | SELinuxOptions
    | WindowsSecurityContextOptions
    | undefined,
  type: string,
): string => (value === undefined || value === null ? `(*${type})(nil)` : `(*${type})(${ADDRESS})`);

/** Returns a toleration as Go shows it. */
export const shownToleration = (toleration: Toleration): VerbatimValue =>
  new VerbatimValue(
    `core.Toleration{Key:${quoted(toleration.key)}, Operator:${quoted(toleration.operator)}, ` +
      `Value:${quoted(toleration.value)}, Effect:${quoted(toleration.effect)}, ` +
      `TolerationSeconds:${pointer(toleration.tolerationSeconds, 'int64')}}`,
  );

/** Returns a seccomp profile as Go shows it. */
export const shownSeccomp = (profile: SeccompProfile): VerbatimValue =>
  new VerbatimValue(
    `core.SeccompProfile{Type:${quoted(profile.type)}, ` +
      `LocalhostProfile:${pointer(profile.localhostProfile, 'string')}}`,
  );

const SECURITY_MEMBERS: readonly (readonly [keyof SecurityContext, string, string])[] = [
  ['capabilities', 'Capabilities', 'core.Capabilities'],
  ['privileged', 'Privileged', 'bool'],
  ['seLinuxOptions', 'SELinuxOptions', 'core.SELinuxOptions'],
  ['windowsOptions', 'WindowsOptions', 'core.WindowsSecurityContextOptions'],
  ['runAsUser', 'RunAsUser', 'int64'],
  ['runAsGroup', 'RunAsGroup', 'int64'],
  ['runAsNonRoot', 'RunAsNonRoot', 'bool'],
  ['readOnlyRootFilesystem', 'ReadOnlyRootFilesystem', 'bool'],
  ['allowPrivilegeEscalation', 'AllowPrivilegeEscalation', 'bool'],
  ['procMount', 'ProcMount', 'core.ProcMountType'],
  ['seccompProfile', 'SeccompProfile', 'core.SeccompProfile'],
];
/** Returns a security context as Go shows it. */
export const shownSecurityContext = (context: SecurityContext): VerbatimValue =>
  new VerbatimValue(
    `core.SecurityContext{${SECURITY_MEMBERS.map(
      ([member, name, type]) => `${name}:${pointer(context[member], type)}`,
    ).join(', ')}}`,
  );

/** Returns the source of a resource claim as Go shows it. */
export const shownClaimSource = (source: ClaimSource | undefined): VerbatimValue => {
  const { resourceClaimName: name, resourceClaimTemplateName: template }: ClaimSource = source ?? {};
  return new VerbatimValue(
    `core.ClaimSource{ResourceClaimName:${pointer(name, 'string')}, ` +
      `ResourceClaimTemplateName:${pointer(template, 'string')}}`,
  );
};

/** Returns resize policies as Go shows them. */
export const shownResizePolicies = (policies: readonly ContainerResizePolicy[]): VerbatimValue =>
  new VerbatimValue(
    `[]core.ContainerResizePolicy{${policies
      .map(
        (policy) =>
          `core.ContainerResizePolicy{ResourceName:${quoted(policy.resourceName)}, ` +
          `RestartPolicy:${quoted(policy.restartPolicy)}}`,
      )
      .join(', ')}}`,
  );

const shownRequirements = (requirements: readonly NodeSelectorRequirement[] | undefined): string => {
  const items = requirements?.map((each) => {
    const values = each.values
      ? `[]string{${each.values.map((value) => JSON.stringify(value)).join(', ')}}`
      : '[]string(nil)';
    return `core.NodeSelectorRequirement{Key:${quoted(each.key)}, Operator:${quoted(each.operator)}, Values:${values}}`;
  });
  return `[]core.NodeSelectorRequirement${items ? `{${items.join(', ')}}` : '(nil)'}`;
};

const nodeTerm = (term: NodeSelectorTerm | undefined): string =>
  `core.NodeSelectorTerm{MatchExpressions:${shownRequirements(term?.matchExpressions)}, ` +
  `MatchFields:${shownRequirements(term?.matchFields)}}`;

/** Returns a node selector term as Go shows it. */
export const shownNodeTerm = (term: NodeSelectorTerm | undefined): VerbatimValue => new VerbatimValue(nodeTerm(term));

/** Returns node selector terms as Go shows them. */
export const shownNodeTerms = (terms: readonly NodeSelectorTerm[] | undefined): VerbatimValue =>
  new VerbatimValue(`[]core.NodeSelectorTerm${terms ? `{${terms.map(nodeTerm).join(', ')}}` : '(nil)'}`);

/** Returns the addresses of a pod as Go shows them. */
export const shownPodIPs = (addresses: readonly PodIP[]): VerbatimValue =>
  new VerbatimValue(`[]core.PodIP{${addresses.map(podIP).join(', ')}}`);

const podIP = (address: PodIP): string => `core.PodIP{IP:${quoted(address.ip)}}`;

/** Returns an address of a pod as Go shows it. */
export const shownPodIP = (address: PodIP): VerbatimValue => new VerbatimValue(podIP(address));

/** A map of the labels that nodes must have. */
export const shownNodeLabels = (spec: PodSpec | undefined): VerbatimValue => shownMap(spec?.nodeSelector);
