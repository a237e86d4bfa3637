import { dnsLabelErrors, duplicate, type FieldError, forbiddenField, required } from '@orch/machinery';
import { invalidEach, oneOf, portNameErrors, portNumberErrors, requiredText } from '../rules/checks.js';
import { countAt, isObject, type Json, objectAt, objectsAt, textAt } from '../values/fields.js';
import { validateEnvironment } from './environment-validation.js';
import { validateMounts } from './mount-validation.js';
import { validateProbes } from './probe-validation.js';
import { validateResources } from './resource-validation.js';

const PULL_POLICIES = ['Always', 'IfNotPresent', 'Never'];
const MESSAGE_POLICIES = ['File', 'FallbackToLogsOnError'];
const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];
const NOT_FOR_INIT = ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'];
const NOT_FOR_EPHEMERAL = ['ports', 'resources', ...NOT_FOR_INIT];

/** The containers of a pod spec, of every sort. `volumes` are the names that can be mounted. */
export function validateContainers(spec: unknown, path: string, volumes: ReadonlySet<string>): FieldError[] {
  const containers = objectsAt(spec, 'containers');
  if (containers.length === 0) return [required(`${path}.containers`)];
  const names = new Set<string>();
  const each = (list: string, check: (container: Json, at: string) => FieldError[]) =>
    objectsAt(spec, list).flatMap((container, index) => {
      const at = `${path}.${list}[${index}]`;
      return [...validateContainer(container, at, volumes), ...takeName(names, container, at), ...check(container, at)];
    });
  return [
    ...each('containers', validateProbes),
    ...validateHostPorts(containers, `${path}.containers`),
    ...each('initContainers', (container, at) =>
      without(container, at, NOT_FOR_INIT, 'may not be set for init containers'),
    ),
    ...each('ephemeralContainers', (container, at) =>
      without(container, at, NOT_FOR_EPHEMERAL, 'cannot be set for an Ephemeral Container'),
    ),
  ];
}

function validateContainer(container: Json, path: string, volumes: ReadonlySet<string>): FieldError[] {
  return [
    ...requiredText(container, path, 'name', dnsLabelErrors),
    ...requiredText(container, path, 'image'),
    ...oneOf(`${path}.terminationMessagePolicy`, container.terminationMessagePolicy ?? 'File', MESSAGE_POLICIES),
    ...validatePorts(container, `${path}.ports`),
    ...validateEnvironment(container, path),
    ...validateMounts(container, path, volumes),
    ...oneOf(`${path}.imagePullPolicy`, container.imagePullPolicy, PULL_POLICIES),
    ...validateResources(container, `${path}.resources`),
  ];
}

function takeName(names: Set<string>, container: Json, path: string): FieldError[] {
  const name = textAt(container, 'name');
  if (name === '') return [];
  if (names.has(name)) return [duplicate(`${path}.name`, name)];
  names.add(name);
  return [];
}

const without = (container: Json, path: string, members: readonly string[], why: string): FieldError[] =>
  members.filter((name) => isSet(container[name])).map((name) => forbiddenField(`${path}.${name}`, why));

const isSet = (value: unknown): boolean =>
  Array.isArray(value) ? value.length > 0 : isObject(value) && Object.keys(value).length > 0;

function validatePorts(container: Json, path: string): FieldError[] {
  const names = new Set<string>();
  return objectsAt(container, 'ports').flatMap((port, index) => {
    const at = `${path}[${index}]`;
    const name = textAt(port, 'name');
    const errors = name === '' ? [] : invalidEach(`${at}.name`, name, portNameErrors(name));
    if (errors.length === 0 && names.has(name)) errors.push(duplicate(`${at}.name`, name));
    if (name !== '') names.add(name);
    return [...errors, ...validatePortNumbers(port, at), ...oneOf(`${at}.protocol`, port.protocol ?? 'TCP', PROTOCOLS)];
  });
}

function validatePortNumbers(port: Json, path: string): FieldError[] {
  const [inside, outside] = [countAt(port, 'containerPort'), countAt(port, 'hostPort')];
  return [
    ...(inside === 0
      ? [required(`${path}.containerPort`)]
      : invalidEach(`${path}.containerPort`, inside, portNumberErrors(inside))),
    ...(outside === 0 ? [] : invalidEach(`${path}.hostPort`, outside, portNumberErrors(outside))),
  ];
}

/** Containers run side by side, so no two can hold the same port of the node. */
function validateHostPorts(containers: readonly Json[], path: string): FieldError[] {
  const taken = new Set<string>();
  return containers.flatMap((container, index) =>
    objectsAt(container, 'ports').flatMap((port, portIndex) => {
      const number = countAt(port, 'hostPort');
      if (number === 0) return [];
      const text = `${textAt(port, 'protocol')}/${textAt(port, 'hostIP')}/${number}`;
      if (taken.has(text)) return [duplicate(`${path}[${index}].ports[${portIndex}].hostPort`, text)];
      taken.add(text);
      return [];
    }),
  );
}

/** Members of pods, but not of templates: an image is what it is, without blanks around it. */
export const validateImages = (spec: unknown, path: string): FieldError[] =>
  ['containers', 'initContainers'].flatMap((list) =>
    objectsAt(spec, list).flatMap((container, index) => {
      const image = textAt(objectAt(container), 'image');
      const bare = image.trim() === image;
      return bare ? [] : invalidEach(`${path}.${list}[${index}].image`, image, [BLANKS]);
    }),
  );

const BLANKS = 'must not have leading or trailing whitespace';
