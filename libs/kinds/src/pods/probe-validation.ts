import { type FieldError, forbiddenField, invalidValue, required } from '@orch/machinery';
import { isOneOf, nonNegativeMembers, portErrors, requiredText } from '../rules/checks.js';
import { countAt, isObject, numberAt, objectAt, stringsAt } from '../values/fields.js';

const PROBES = ['livenessProbe', 'readinessProbe', 'startupProbe'] as const;
const COUNTS = ['initialDelaySeconds', 'timeoutSeconds', 'periodSeconds', 'successThreshold', 'failureThreshold'];
const HANDLERS = ['exec', 'httpGet', 'tcpSocket', 'grpc'] as const;
const SCHEMES = ['HTTP', 'HTTPS'];

/** Probes of a container and what is done around its life. */
export function validateProbes(container: unknown, path: string): FieldError[] {
  const lifecycle = objectAt(container, 'lifecycle');
  return [
    ...['postStart', 'preStop'].flatMap((name) =>
      isObject(lifecycle[name]) ? validateHandler(lifecycle[name], `${path}.lifecycle.${name}`) : [],
    ),
    ...PROBES.flatMap((name) => {
      const probe = objectAt(container)[name];
      return isObject(probe) ? validateProbe(probe, `${path}.${name}`, name) : [];
    }),
  ];
}

function validateProbe(probe: unknown, path: string, name: (typeof PROBES)[number]): FieldError[] {
  const errors = [...validateHandler(probe, path), ...nonNegativeMembers(probe, path, COUNTS)];
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

function validateHandler(owner: unknown, path: string): FieldError[] {
  const [first, ...others] = HANDLERS.filter((name) => isObject(objectAt(owner)[name]));
  if (first === undefined) return [required(path, 'must specify a handler type')];
  return [
    ...validateAction(objectAt(owner, first), `${path}.${first}`, first),
    ...others.map((name) => forbiddenField(`${path}.${name}`, 'may not specify more than 1 handler type')),
  ];
}

function validateAction(action: unknown, path: string, handler: (typeof HANDLERS)[number]): FieldError[] {
  if (handler === 'exec') return stringsAt(action, 'command').length === 0 ? [required(`${path}.command`)] : [];
  const port = portErrors(`${path}.port`, objectAt(action).port);
  if (handler !== 'httpGet') return port;
  return [
    ...requiredText(action, path, 'path'),
    ...port,
    ...isOneOf(`${path}.scheme`, objectAt(action).scheme, SCHEMES),
  ];
}
