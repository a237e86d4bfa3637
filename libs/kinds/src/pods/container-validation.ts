import { dnsLabelErrors, duplicate, type FieldError, required } from '@orch/machinery';
import type { Container, ContainerPort, EphemeralContainer, Volume } from '@orch/schema/types/core/v1';
import { invalidEach, oneOf, portNameErrors, portNumberErrors, requiredText } from '../rules/checks.js';
import type { AnyContainer } from './containers.js';
import { validateEnvironment } from './environment-validation.js';
import { validateMounts } from './mount-validation.js';
import type { PodContext } from './pod-context.js';
import { validateResizePolicies } from './resize-validation.js';
import type { PodClaims } from './resource-claim-validation.js';
import { validateResources } from './resource-validation.js';
import { validateContainerSecurity } from './security-context-validation.js';

const PULL_POLICIES = ['Always', 'IfNotPresent', 'Never'];
const MESSAGE_POLICIES = ['File', 'FallbackToLogsOnError'];
const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];

/** The parts of a pod that its containers share. */
export interface Shared extends PodContext {
  /** The volumes that can be mounted, by name. */
  readonly volumes: ReadonlyMap<string, Volume>;
  /** The resource claims of the pod. */
  readonly claims: PodClaims;
}

/** Checks a container of any sort. */
export function validateContainer(container: AnyContainer, path: string, shared: Shared): FieldError[] {
  const { imagePullPolicy, terminationMessagePolicy } = container;
  return [
    ...requiredText(container, path, 'name', dnsLabelErrors),
    ...requiredText(container, path, 'image'),
    ...oneOf(`${path}.terminationMessagePolicy`, terminationMessagePolicy, MESSAGE_POLICIES),
    ...validatePorts(container, `${path}.ports`),
    ...validateEnvironment(container, path),
    ...validateMounts(container, path, shared.volumes),
    ...oneOf(`${path}.imagePullPolicy`, imagePullPolicy, PULL_POLICIES),
    ...validateResources(container.resources, `${path}.resources`, shared, shared.claims),
    ...validateResizePolicies(container.resizePolicy ?? [], `${path}.resizePolicy`),
    ...validateContainerSecurity(container.securityContext, `${path}.securityContext`, shared.settings.allowPrivileged),
  ];
}

function validatePorts(container: AnyContainer, path: string): FieldError[] {
  const names = new Set<string>();
  return (container.ports ?? []).flatMap((port, index) => {
    const at = `${path}[${index}]`;
    return [
      ...validatePortName(port.name ?? '', `${at}.name`, names),
      ...validatePortNumbers(port, at),
      ...oneOf(`${at}.protocol`, port.protocol, PROTOCOLS),
    ];
  });
}

function validatePortName(name: string, field: string, taken: Set<string>): FieldError[] {
  if (name === '') return [];
  const errors = invalidEach(field, name, portNameErrors(name));
  if (errors.length > 0) return errors;
  if (taken.has(name)) return [duplicate(field, name)];
  taken.add(name);
  return [];
}

function validatePortNumbers(port: ContainerPort, path: string): FieldError[] {
  const [inside, outside] = [port.containerPort ?? 0, port.hostPort ?? 0];
  return [
    ...(inside === 0
      ? [required(`${path}.containerPort`)]
      : invalidEach(`${path}.containerPort`, inside, portNumberErrors(inside))),
    ...(outside === 0 ? [] : invalidEach(`${path}.hostPort`, outside, portNumberErrors(outside))),
  ];
}

/** In pods, but not in templates: an image is what it is, without blanks around it. */
export function validateImage(container: EphemeralContainer | Container, path: string): FieldError[] {
  const image = container.image ?? '';
  return image.trim() === image ? [] : invalidEach(`${path}.image`, image, [BLANKS]);
}

const BLANKS = 'must not have leading or trailing whitespace';
