import { VerbatimValue } from '@orch/machinery';
import { at, isObject, type Json, objectsAt, stringsAt, textAt } from '../values/fields.js';
import { shownMap } from '../values/go-syntax.js';

/**
 * Parts of pods as the reference system prints them in messages, see {@link shownMap}. Of what it points to it prints
 * addresses, which differ each time; here they are all the same.
 */

const ADDRESS = '0xc000000000';
const quoted = (value: unknown, name: string): string => JSON.stringify(textAt(value, name));

const pointer = (value: unknown, type: string): string =>
  value === undefined || value === null ? `(*${type})(nil)` : `(*${type})(${ADDRESS})`;

export const shownToleration = (toleration: Json): VerbatimValue =>
  new VerbatimValue(
    `core.Toleration{Key:${quoted(toleration, 'key')}, Operator:${quoted(toleration, 'operator')}, ` +
      `Value:${quoted(toleration, 'value')}, Effect:${quoted(toleration, 'effect')}, ` +
      `TolerationSeconds:${pointer(toleration.tolerationSeconds, 'int64')}}`,
  );

export const shownSeccomp = (profile: Json): VerbatimValue =>
  new VerbatimValue(
    `core.SeccompProfile{Type:${quoted(profile, 'type')}, ` +
      `LocalhostProfile:${pointer(profile.localhostProfile, 'string')}}`,
  );

const SECURITY_MEMBERS: readonly (readonly [string, string])[] = [
  ['Capabilities', 'core.Capabilities'],
  ['Privileged', 'bool'],
  ['SELinuxOptions', 'core.SELinuxOptions'],
  ['WindowsOptions', 'core.WindowsSecurityContextOptions'],
  ['RunAsUser', 'int64'],
  ['RunAsGroup', 'int64'],
  ['RunAsNonRoot', 'bool'],
  ['ReadOnlyRootFilesystem', 'bool'],
  ['AllowPrivilegeEscalation', 'bool'],
  ['ProcMount', 'core.ProcMountType'],
  ['SeccompProfile', 'core.SeccompProfile'],
];
/** As fields are called, but for one. */
const memberName = (name: string): string =>
  name === 'SELinuxOptions' ? 'seLinuxOptions' : name.charAt(0).toLowerCase() + name.slice(1);

export const shownSecurityContext = (context: Json): VerbatimValue =>
  new VerbatimValue(
    `core.SecurityContext{${SECURITY_MEMBERS.map(
      ([name, type]) => `${name}:${pointer(context[memberName(name)], type)}`,
    ).join(', ')}}`,
  );

export const shownClaimSource = (source: unknown): VerbatimValue => {
  const { resourceClaimName: name, resourceClaimTemplateName: template } = isObject(source) ? source : {};
  return new VerbatimValue(
    `core.ClaimSource{ResourceClaimName:${pointer(name, 'string')}, ` +
      `ResourceClaimTemplateName:${pointer(template, 'string')}}`,
  );
};

export const shownResizePolicies = (policies: readonly Json[]): VerbatimValue =>
  new VerbatimValue(
    `[]core.ContainerResizePolicy{${policies
      .map(
        (policy) =>
          `core.ContainerResizePolicy{ResourceName:${quoted(policy, 'resourceName')}, ` +
          `RestartPolicy:${quoted(policy, 'restartPolicy')}}`,
      )
      .join(', ')}}`,
  );

const shownRequirements = (term: unknown, name: string): string => {
  const items = objectsAt(term, name).map((each) => {
    const values = Array.isArray(each.values)
      ? `[]string{${stringsAt(each, 'values')
          .map((value) => JSON.stringify(value))
          .join(', ')}}`
      : '[]string(nil)';
    return `core.NodeSelectorRequirement{Key:${quoted(each, 'key')}, Operator:${quoted(each, 'operator')}, Values:${values}}`;
  });
  const empty = !isObject(term) || !Array.isArray(term[name]);
  return `[]core.NodeSelectorRequirement${empty ? '(nil)' : `{${items.join(', ')}}`}`;
};

const nodeTerm = (term: unknown): string =>
  `core.NodeSelectorTerm{MatchExpressions:${shownRequirements(term, 'matchExpressions')}, ` +
  `MatchFields:${shownRequirements(term, 'matchFields')}}`;

export const shownNodeTerm = (term: unknown): VerbatimValue => new VerbatimValue(nodeTerm(term));

export const shownNodeTerms = (terms: readonly Json[] | undefined): VerbatimValue =>
  new VerbatimValue(`[]core.NodeSelectorTerm${terms ? `{${terms.map(nodeTerm).join(', ')}}` : '(nil)'}`);

export const shownPodIPs = (addresses: readonly Json[]): VerbatimValue =>
  new VerbatimValue(`[]core.PodIP{${addresses.map(podIP).join(', ')}}`);

const podIP = (address: Json): string => `core.PodIP{IP:${quoted(address, 'ip')}}`;

export const shownPodIP = (address: Json): VerbatimValue => new VerbatimValue(podIP(address));

/** A map of the labels that nodes must have. */
export const shownNodeLabels = (spec: unknown): VerbatimValue => shownMap(at(spec, 'nodeSelector'));
