import { type FieldError, forbiddenField, formText, invalidValue, required } from '@orch/machinery';
import type { Container, HTTPHeader, Lifecycle, Probe } from '@orch/schema/types/core/v1';
import { invalidEach, isOneOf, nonNegativeMembers, portErrors, requiredText } from '../rules/checks.js';
import type { NameOf } from '../values/fields.js';
import { numberOf } from '../values/fields.js';

const PROBES = ['livenessProbe', 'readinessProbe', 'startupProbe'] as const;
const COUNTS: readonly NameOf<Probe>[] = [
  'initialDelaySeconds',
  'timeoutSeconds',
  'periodSeconds',
  'successThreshold',
  'failureThreshold',
];
const HOOK_HANDLERS = ['exec', 'httpGet', 'tcpSocket'] as const;
const PROBE_HANDLERS = [...HOOK_HANDLERS, 'grpc'] as const;
type Handler = (typeof PROBE_HANDLERS)[number];
/** A handler of one of several kinds. */
type Handled = Pick<Probe, Handler>;
const SCHEMES = ['HTTP', 'HTTPS'];

const HEADER_NAME = '[-A-Za-z0-9]+';
const HEADER_NAME_RE = new RegExp(`^${HEADER_NAME}$`);
const HEADER_NAME_FORM = formText(
  "a valid HTTP header must consist of alphanumeric characters or '-'",
  HEADER_NAME,
  'X-Header-Name',
);

/** Checks the probes and lifecycle handlers of a container. */
export function validateProbes(container: Container, path: string): FieldError[] {
  const { lifecycle } = container;
  return [
    ...(lifecycle ? validateLifecycle(lifecycle, `${path}.lifecycle`) : []),
    ...PROBES.flatMap((name) => {
      const probe = container[name];
      return probe ? validateProbe(probe, `${path}.${name}`, name) : [];
    }),
  ];
}

const validateLifecycle = (lifecycle: Lifecycle, path: string): FieldError[] =>
  (['postStart', 'preStop'] as const).flatMap((name) => {
    const hook = lifecycle[name];
    return hook ? validateHandler(hook, `${path}.${name}`, HOOK_HANDLERS) : [];
  });

function validateProbe(probe: Probe, path: string, name: (typeof PROBES)[number]): FieldError[] {
  const errors = [...validateHandler(probe, path, PROBE_HANDLERS), ...nonNegativeMembers(probe, path, COUNTS)];
  const grace = numberOf(probe.terminationGracePeriodSeconds);
  const graceField = `${path}.terminationGracePeriodSeconds`;
  if (grace !== undefined && grace <= 0) errors.push(invalidValue(graceField, grace, 'must be greater than 0'));
  if (name === 'readinessProbe') {
    if (grace !== undefined) errors.push(invalidValue(graceField, grace, 'must not be set for readinessProbes'));
  } else if ((probe.successThreshold ?? 0) !== 1) {
    errors.push(invalidValue(`${path}.successThreshold`, probe.successThreshold ?? 0, 'must be 1'));
  }
  return errors;
}

function validateHandler(owner: Handled, path: string, handlers: readonly Handler[]): FieldError[] {
  const [first, ...others] = handlers.filter((name) => owner[name]);
  if (first === undefined) return [required(path, 'must specify a handler type')];
  return [
    ...validateAction(owner, `${path}.${first}`, first),
    ...others.map((name) => forbiddenField(`${path}.${name}`, 'may not specify more than 1 handler type')),
  ];
}

function validateAction(owner: Handled, path: string, handler: Handler): FieldError[] {
  if (handler === 'exec') return (owner.exec?.command ?? []).length === 0 ? [required(`${path}.command`)] : [];
  const port = portErrors(`${path}.port`, owner[handler]?.port);
  if (handler !== 'httpGet') return port;
  const action = owner.httpGet;
  return [
    ...requiredText(action, path, 'path'),
    ...port,
    ...isOneOf(`${path}.scheme`, action?.scheme, SCHEMES),
    ...(action?.httpHeaders ?? []).flatMap((header) => validateHeader(header, `${path}.httpHeaders`)),
  ];
}

/** The reference names no index of theirs. */
function validateHeader(header: HTTPHeader, field: string): FieldError[] {
  const name = header.name ?? '';
  return HEADER_NAME_RE.test(name) ? [] : invalidEach(field, name, [HEADER_NAME_FORM]);
}
