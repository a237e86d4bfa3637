import { duplicate, type FieldError, forbiddenField, invalidValue, notSupported, required } from '@orch/machinery';
import type { PodSecurityContext, PodSpec, SecurityContext, Sysctl } from '@orch/schema/types/core/v1';
import { isOneOf, MAX_INT32, rangeText } from '../rules/checks.js';
import type { AnyContainer } from './containers.js';
import { validateSeccomp } from './seccomp-validation.js';
import { shownSecurityContext } from './shown-values.js';
import { validateWindowsOptions } from './windows-validation.js';

const GROUP_CHANGES = ['Always', 'OnRootMismatch'];
const PROC_MOUNTS = ['Default', 'Unmasked'];
const MAX_SYSCTL = 253;
const SYSCTL_PART = '[a-z0-9]([-_a-z0-9]*[a-z0-9])?';
const SYSCTL = `^(${SYSCTL_PART}[\\./])*${SYSCTL_PART}$`;
const SYSCTL_PART_RE = new RegExp(`^${SYSCTL_PART}$`);

/** Numbers of users and groups. */
const validateId = (
  owner: PodSecurityContext | SecurityContext | undefined,
  path: string,
  name: 'fsGroup' | 'runAsUser' | 'runAsGroup',
): FieldError[] => validateNumber((owner as PodSecurityContext | undefined)?.[name], `${path}.${name}`);

function validateNumber(value: unknown, field: string): FieldError[] {
  const id = typeof value === 'number' || typeof value === 'bigint' ? Number(value) : undefined;
  return id === undefined || (id >= 0 && id <= MAX_INT32) ? [] : [invalidValue(field, value, rangeText(0, MAX_INT32))];
}

/** Checks the security context of all containers of a pod. `spec` is the pod's, with the members that stand beside the context. */
export function validatePodSecurity(spec: PodSpec | undefined, path: string): FieldError[] {
  const context = spec?.securityContext;
  return [
    ...(['fsGroup', 'runAsUser', 'runAsGroup'] as const).flatMap((name) => validateId(context, path, name)),
    ...validateGroups(context?.supplementalGroups, `${path}.supplementalGroups`),
    ...validateSharedProcesses(spec, `${path}.shareProcessNamespace`),
    ...validateSysctls(context?.sysctls ?? [], `${path}.sysctls`),
    ...isOneOf(`${path}.fsGroupChangePolicy`, context?.fsGroupChangePolicy, GROUP_CHANGES),
    ...validateSeccomp(context?.seccompProfile, `${path}.seccompProfile`),
    ...validateWindowsOptions(context?.windowsOptions, `${path}.windowsOptions`),
  ];
}

const validateGroups = (groups: readonly (number | bigint)[] | undefined, path: string): FieldError[] =>
  Array.isArray(groups) ? groups.flatMap((group: unknown, index) => validateNumber(group, `${path}[${index}]`)) : [];

function validateSharedProcesses(spec: PodSpec | undefined, field: string): FieldError[] {
  if (spec?.shareProcessNamespace !== true || spec?.hostPID !== true) return [];
  return [invalidValue(field, true, 'ShareProcessNamespace and HostPID cannot both be enabled')];
}

function validateSysctls(settings: readonly Sysctl[], path: string): FieldError[] {
  const seen = new Set<string>();
  return settings.flatMap((setting, index) => {
    const name = setting.name ?? '';
    const field = `${path}[${index}].name`;
    const again = seen.has(name);
    seen.add(name);
    if (name === '') return [required(field)];
    if (!isSysctl(name)) {
      return [invalidValue(field, name, `must have at most ${MAX_SYSCTL} characters and match regex ${SYSCTL}`)];
    }
    return again ? [duplicate(field, name)] : [];
  });
}

/** Part by part, which takes no time that grows faster than the name. */
const isSysctl = (name: string): boolean =>
  name.length <= MAX_SYSCTL && name.split(/[./]/).every((part) => SYSCTL_PART_RE.test(part));

/** Checks the security context of a container; `anything` where that is allowed. */
export function validateContainerSecurity(
  context: SecurityContext | undefined,
  path: string,
  anything: boolean,
): FieldError[] {
  if (!context) return [];
  const { procMount } = context;
  const known = typeof procMount !== 'string' || PROC_MOUNTS.includes(procMount);
  return [
    ...(context.privileged === true && !anything
      ? [forbiddenField(`${path}.privileged`, 'disallowed by cluster policy')]
      : []),
    ...(['runAsUser', 'runAsGroup'] as const).flatMap((name) => validateId(context, path, name)),
    ...(known ? [] : [notSupported(`${path}.procMount`, procMount, PROC_MOUNTS)]),
    ...validateSeccomp(context.seccompProfile, `${path}.seccompProfile`),
    ...validateEscalation(context, path),
    ...validateWindowsOptions(context.windowsOptions, `${path}.windowsOptions`),
  ];
}

/** Refuses contexts that forbid gaining rights and have all of them. */
function validateEscalation(context: SecurityContext, path: string): FieldError[] {
  if (context.allowPrivilegeEscalation !== false) return [];
  const texts = [
    ...(context.privileged === true ? ['`privileged` to true'] : []),
    ...(context.capabilities?.add ?? [])
      .filter((capability) => capability === 'CAP_SYS_ADMIN')
      .map(() => '`capabilities.Add` CAP_SYS_ADMIN'),
  ];
  if (texts.length === 0) return [];
  const shown = shownSecurityContext(context);
  return texts.map((text) => invalidValue(path, shown, `cannot set \`allowPrivilegeEscalation\` to false and ${text}`));
}

/** Whether a container has all rights on its node. */
export const isPrivileged = (container: AnyContainer): boolean => container.securityContext?.privileged === true;
