import { at, isObject, type Json } from '../values/fields.js';

/**
 * Paths in v2 of the members of one source of metrics, by their names in v2beta1, where they are side by side and not
 * in nested objects.
 */
type Places = ReadonlyMap<string, readonly string[]>;

/** The sources of metrics, as targets (`spec`) or as what was last seen (`status`). */
export interface FlatForm {
  /** Paths of the members, by name of the source. */
  readonly sources: Readonly<Record<string, Places>>;
  /** Returns the type of the target value, which v2 requires; absent for measured values, which have none. */
  typeOf?(source: Json): string;
}

const metric = (selector: string): [string, readonly string[]][] => [
  ['metricName', ['metric', 'name']],
  [selector, ['metric', 'selector']],
];
const values = (side: 'target' | 'current', flat: Readonly<Record<string, string>>): [string, readonly string[]][] =>
  Object.entries(flat).map(([name, value]) => [name, [side, value]]);

const DESCRIBED: [string, readonly string[]] = ['target', ['describedObject']];

/** Targets, in `spec.metrics`. */
export const TARGETS: FlatForm = {
  sources: {
    object: new Map([
      DESCRIBED,
      ...metric('selector'),
      ...values('target', { targetValue: 'value', averageValue: 'averageValue' }),
    ]),
    pods: new Map([...metric('selector'), ...values('target', { targetAverageValue: 'averageValue' })]),
    resource: new Map(
      values('target', { targetAverageUtilization: 'averageUtilization', targetAverageValue: 'averageValue' }),
    ),
    containerResource: new Map(
      values('target', { targetAverageUtilization: 'averageUtilization', targetAverageValue: 'averageValue' }),
    ),
    external: new Map([
      ...metric('metricSelector'),
      ...values('target', { targetValue: 'value', targetAverageValue: 'averageValue' }),
    ]),
  },
  typeOf({ target }) {
    if (at(target, 'averageUtilization') !== undefined) return 'Utilization';
    return at(target, 'averageValue') !== undefined ? 'AverageValue' : 'Value';
  },
};

/** Current values, in `status.currentMetrics`. */
export const CURRENT: FlatForm = {
  sources: {
    object: new Map([
      DESCRIBED,
      ...metric('selector'),
      ...values('current', { currentValue: 'value', averageValue: 'averageValue' }),
    ]),
    pods: new Map([...metric('selector'), ...values('current', { currentAverageValue: 'averageValue' })]),
    resource: new Map(
      values('current', { currentAverageUtilization: 'averageUtilization', currentAverageValue: 'averageValue' }),
    ),
    containerResource: new Map(
      values('current', { currentAverageUtilization: 'averageUtilization', currentAverageValue: 'averageValue' }),
    ),
    external: new Map([
      ...metric('metricSelector'),
      ...values('current', { currentValue: 'value', currentAverageValue: 'averageValue' }),
    ]),
  },
};

/** A metric of v2beta1 as v2 writes it; one that is written so is left as it is. */
export function nested(entry: Json, { sources, typeOf }: FlatForm): Json {
  return changedSources(entry, sources, (source, places) => {
    if (isNested(source)) return source;
    const made: Json = {};
    for (const [name, value] of Object.entries(source)) put(made, places.get(name) ?? [name], value);
    if (typeOf) put(made, ['target', 'type'], typeOf(made));
    return made;
  });
}

const isNested = ({ metric: named, describedObject, target, current }: Json): boolean =>
  isObject(named) || isObject(describedObject) || isObject(current) || at(target, 'type') !== undefined;

/** A metric of v2 as v2beta1 wrote it. */
export function flattened(entry: Json, { sources }: FlatForm): Json {
  return changedSources(entry, sources, (source, places) => {
    const made: Json = {};
    const moved = new Set([...places.values()].map(([first]) => first));
    for (const [name, value] of Object.entries(source)) if (!moved.has(name)) made[name] = value;
    for (const [flat, place] of places) {
      const value = at(source, ...place);
      if (value !== undefined) made[flat] = value;
    }
    return made;
  });
}

function changedSources(
  entry: Json,
  sources: FlatForm['sources'],
  change: (source: Json, places: Places) => Json,
): Json {
  return Object.fromEntries(
    Object.entries(entry).map(([name, source]) => {
      const places = Object.hasOwn(sources, name) ? sources[name] : undefined;
      return [name, places && isObject(source) ? change(source, places) : source];
    }),
  );
}

/** Sets what stands at a path of one or two names. */
function put(object: Json, [first = '', second]: readonly string[], value: unknown): void {
  if (second === undefined) object[first] = value;
  else object[first] = { ...(isObject(object[first]) ? object[first] : {}), [second]: value };
}
