import { duplicate, type FieldError, forbiddenField, invalidValue, notFoundValue, required } from '@orch/machinery';
import type { Container, EphemeralContainer, PodSpec } from '@orch/schema/types/core/v1';
import { type Shared, validateContainer, validateImage } from './container-validation.js';
import type { AnyContainer } from './containers.js';
import { validateHostPorts } from './host-validation.js';
import { validateProbes } from './probe-validation.js';
import { shownResizePolicies } from './shown-values.js';

const PROBES = ['livenessProbe', 'readinessProbe', 'startupProbe'] as const;
const NOT_FOR_INIT = ['lifecycle', ...PROBES] as const;
const NOT_FOR_EPHEMERAL = ['ports', 'resources', 'resizePolicy', ...PROBES, 'lifecycle'] as const;
const NOT_EPHEMERAL = 'cannot be set for an Ephemeral Container';

/** The containers of a pod spec, of every sort, a list at a time. */
export function* containerSteps(spec: PodSpec | undefined, path: string, shared: Shared): Iterable<FieldError[]> {
  const names = new Set<string>();
  yield validateContainers(spec?.containers ?? [], `${path}.containers`, shared, names);
  yield validateInitContainers(spec?.initContainers ?? [], `${path}.initContainers`, shared, names);
  yield validateEphemeral(spec?.ephemeralContainers ?? [], `${path}.ephemeralContainers`, shared, names);
}

function validateContainers(
  list: readonly Container[],
  path: string,
  shared: Shared,
  names: Set<string>,
): FieldError[] {
  if (list.length === 0) return [required(path)];
  return [
    ...list.flatMap((container, index) => {
      const field = `${path}[${index}]`;
      return [
        ...validateContainer(container, field, shared),
        ...takeName(names, container, field),
        ...validateProbes(container, field),
      ];
    }),
    ...validateHostPorts(list, path),
  ];
}

/**
 * They run one after the other, so that each may have a port of the node; the reference tells all of those at the
 * first.
 */
const validateInitContainers = (
  list: readonly Container[],
  path: string,
  shared: Shared,
  names: Set<string>,
): FieldError[] =>
  list.flatMap((container, index) => {
    const field = `${path}[${index}]`;
    const resizes = container.resizePolicy ?? [];
    const text = 'must not be set for init containers';
    return [
      ...validateContainer(container, field, shared),
      // A missing name is an error already; several missing ones are not reported as duplicates too.
      ...((container.name ?? '') === '' && !names.has('') ? [] : takeName(names, container, field)),
      ...validateHostPorts([container], path),
      ...NOT_FOR_INIT.filter((name) => container[name]).map((name) =>
        forbiddenField(`${field}.${name}`, 'may not be set for init containers'),
      ),
      ...(resizes.length > 0 ? [invalidValue(`${field}.resizePolicy`, shownResizePolicies(resizes), text)] : []),
    ];
  });

/** Nothing a pod relies on may stand in them, and nothing that stays behind. */
function validateEphemeral(
  list: readonly EphemeralContainer[],
  path: string,
  shared: Shared,
  names: Set<string>,
): FieldError[] {
  const others = new Set(names);
  return list.flatMap((container, index) => {
    const field = `${path}[${index}]`;
    const target = container.targetContainerName ?? '';
    const lost = target !== '' && !others.has(target);
    return [
      ...validateContainer(container, field, shared),
      ...validateImage(container, field),
      ...takeName(names, container, field),
      ...(lost ? [notFoundValue(`${field}.targetContainerName`, target)] : []),
      ...NOT_FOR_EPHEMERAL.filter((name) => isSet(container, name)).map((name) =>
        forbiddenField(`${field}.${name}`, NOT_EPHEMERAL),
      ),
      ...validateWholeMounts(container, `${field}.volumeMounts`),
    ];
  });
}

const validateWholeMounts = (container: EphemeralContainer, path: string): FieldError[] =>
  (container.volumeMounts ?? []).flatMap((mount, index) =>
    (['subPath', 'subPathExpr'] as const)
      .filter((name) => (mount[name] ?? '') !== '')
      .map((name) => forbiddenField(`${path}[${index}].${name}`, NOT_EPHEMERAL)),
  );

/** An empty `resources` is none; an empty list or probe is one. */
const isSet = (container: EphemeralContainer, name: (typeof NOT_FOR_EPHEMERAL)[number]): boolean =>
  name === 'resources'
    ? (['limits', 'requests', 'claims'] as const).some(
        (list) => (container.resources?.[list] ?? undefined) !== undefined,
      )
    : (container[name] ?? undefined) !== undefined;

function takeName(names: Set<string>, container: AnyContainer, path: string): FieldError[] {
  const name = container.name ?? '';
  if (names.has(name)) return [duplicate(`${path}.name`, name)];
  names.add(name);
  return [];
}
