import { type FieldError, forbiddenField, formText, invalidValue, required } from '@orch/machinery';
import { invalidEach, isOneOf, nonNegativeMembers, portErrors, requiredText } from '../rules/checks.js';
import { countAt, isObject, numberAt, objectAt, objectsAt, stringsAt, textAt } from '../values/fields.js';

const PROBES = ['livenessProbe', 'readinessProbe', 'startupProbe'] as const;
const COUNTS = ['initialDelaySeconds', 'timeoutSeconds', 'periodSeconds', 'successThreshold', 'failureThreshold'];
const HOOK_HANDLERS = ['exec', 'httpGet', 'tcpSocket'] as const;
const PROBE_HANDLERS = [...HOOK_HANDLERS, 'grpc'] as const;
type Handler = (typeof PROBE_HANDLERS)[number];
const SCHEMES = ['HTTP', 'HTTPS'];

const HEADER_NAME = '[-A-Za-z0-9]+';
const HEADER_NAME_RE = new RegExp(`^${HEADER_NAME}$`);
const HEADER_NAME_FORM = formText(
  "a valid HTTP header must consist of alphanumeric characters or '-'",
  HEADER_NAME,
  'X-Header-Name',
);

/** Probes of a container and what is done around its life. */
export function validateProbes(container: unknown, path: string): FieldError[] {
  const { lifecycle } = objectAt(container);
  return [
    ...(isObject(lifecycle) ? validateLifecycle(lifecycle, `${path}.lifecycle`) : []),
    ...PROBES.flatMap((name) => {
      const probe = objectAt(container)[name];
      return isObject(probe) ? validateProbe(probe, `${path}.${name}`, name) : [];
    }),
  ];
}

const validateLifecycle = (lifecycle: unknown, path: string): FieldError[] =>
  ['postStart', 'preStop'].flatMap((name) => {
    const hook = objectAt(lifecycle)[name];
    return isObject(hook) ? validateHandler(hook, `${path}.${name}`, HOOK_HANDLERS) : [];
  });

function validateProbe(probe: unknown, path: string, name: (typeof PROBES)[number]): FieldError[] {
  const errors = [...validateHandler(probe, path, PROBE_HANDLERS), ...nonNegativeMembers(probe, path, COUNTS)];
  const grace = numberAt(probe, 'terminationGracePeriodSeconds');
  const graceField = `${path}.terminationGracePeriodSeconds`;
  if (grace !== undefined && grace <= 0) errors.push(invalidValue(graceField, grace, 'must be greater than 0'));
  if (name === 'readinessProbe') {
    if (grace !== undefined) errors.push(invalidValue(graceField, grace, 'must not be set for readinessProbes'));
  } else if (countAt(probe, 'successThreshold') !== 1) {
    errors.push(invalidValue(`${path}.successThreshold`, countAt(probe, 'successThreshold'), 'must be 1'));
  }
  return errors;
}

function validateHandler(owner: unknown, path: string, handlers: readonly Handler[]): FieldError[] {
  const [first, ...others] = handlers.filter((name) => isObject(objectAt(owner)[name]));
  if (first === undefined) return [required(path, 'must specify a handler type')];
  return [
    ...validateAction(objectAt(owner, first), `${path}.${first}`, first),
    ...others.map((name) => forbiddenField(`${path}.${name}`, 'may not specify more than 1 handler type')),
  ];
}

function validateAction(action: unknown, path: string, handler: Handler): FieldError[] {
  if (handler === 'exec') return stringsAt(action, 'command').length === 0 ? [required(`${path}.command`)] : [];
  const port = portErrors(`${path}.port`, objectAt(action).port);
  if (handler !== 'httpGet') return port;
  return [
    ...requiredText(action, path, 'path'),
    ...port,
    ...isOneOf(`${path}.scheme`, objectAt(action).scheme, SCHEMES),
    ...objectsAt(action, 'httpHeaders').flatMap((header) => validateHeader(header, `${path}.httpHeaders`)),
  ];
}

/** The reference names no index of theirs. */
function validateHeader(header: unknown, field: string): FieldError[] {
  const name = textAt(header, 'name');
  return HEADER_NAME_RE.test(name) ? [] : invalidEach(field, name, [HEADER_NAME_FORM]);
}
