import { type ApiObject, copy, type JsonValue, type Names } from '@orch/machinery';
import type { GeneratedObject } from './arbitrary-object.js';

type Json = { [name: string]: JsonValue };

/**
 * What the rules of a kind ask for as far as conversions rely on it, made true of a generated object; and no empty list
 * or map where the same is said by none.
 */
const RULES: Readonly<Record<string, (object: Json, names: Names) => void>> = {
  ClusterRoleBinding: subjects,
  RoleBinding: subjects,
  CustomResourceDefinition({ spec }) {
    const { conversion, versions } = spec as Json;
    if (isObject(conversion)) drop(conversion, 'webhook', ({ clientConfig }) => clientConfig === undefined);
    drop(spec as Json, 'preserveUnknownFields', () => (spec as Json).preserveUnknownFields === false);
    for (const version of objects(versions)) {
      dropEmpty(version, 'additionalPrinterColumns');
      drop(version, 'schema', isEmpty);
      drop(version, 'subresources', isEmpty);
    }
  },
  EndpointSlice({ endpoints }) {
    for (const endpoint of objects(endpoints)) dropEmpty(endpoint, 'deprecatedTopology');
  },
  HorizontalPodAutoscaler({ spec, status }) {
    for (const metric of objects((spec as Json | undefined)?.metrics)) targets(metric);
    for (const metric of objects((status as Json | undefined)?.currentMetrics)) current(metric);
    for (const [section, names] of [
      [spec, ['metrics']],
      [status, ['currentMetrics', 'conditions']],
    ] as const)
      for (const name of names) if (isObject(section)) dropEmpty(section, name);
    for (const section of [spec, status]) emptied(section);
    if (isObject(spec)) drop(spec, 'behavior', isEmpty);
  },
  Ingress({ spec }) {
    const rules = objects((spec as Json | undefined)?.rules);
    const paths = rules.flatMap(({ http }) => objects((http as Json | undefined)?.paths));
    for (const backend of [(spec as Json | undefined)?.defaultBackend, ...paths.map((path) => path.backend)]) {
      if (!isObject(backend) || !isObject(backend.service)) continue;
      const { port } = backend.service;
      const number = isObject(port) && Number.isInteger(port.number) && port.number !== 0 ? port.number : 80;
      backend.service = {
        name: backend.service.name ?? 'a',
        port: isObject(port) && port.name ? { name: port.name } : { number: number as number },
      };
    }
  },
  PodDisruptionBudget({ spec }) {
    const selector = (spec as Json | undefined)?.selector;
    if (!isObject(selector)) return;
    for (const name of ['matchLabels', 'matchExpressions']) dropEmpty(selector, name);
  },
  ValidatingAdmissionPolicyBinding({ spec }) {
    const ref = (spec as Json | undefined)?.paramRef;
    // What is not said means this, and other versions say it.
    if (isObject(ref)) ref.parameterNotFoundAction ??= 'Deny';
  },
};

/** A generated object as conversions may find it. */
export function convertible(object: GeneratedObject, names: Names): ApiObject {
  const made = copy(object) as unknown as Json;
  if (isObject(made.metadata)) dropEmpty(made.metadata, 'annotations');
  RULES[object.kind]?.(made, names);
  return made as ApiObject;
}

function subjects({ subjects: all }: Json, names: Names): void {
  for (const subject of objects(all)) {
    if (subject.kind === 'ServiceAccount' || !subject.apiGroup) delete subject.apiGroup;
    if (subject.kind === 'User' || subject.kind === 'Group') {
      subject.apiGroup = names.group('rbac.authorization.orch.io');
    }
  }
}

/** Without empty lists, wherever they lie, and without maps of labels that are: nothing that is read has them. */
function emptied(value: JsonValue | undefined): void {
  if (Array.isArray(value)) for (const item of value) emptied(item);
  if (!isObject(value)) return;
  for (const name of Object.keys(value)) {
    if (Array.isArray(value[name]) || name === 'matchLabels') dropEmpty(value, name);
    emptied(value[name]);
  }
}

/** Each source with what it may aim at, one value alone. */
function targets(metric: Json): void {
  const only = (name: string, type: string, value: string): void => {
    const source = metric[name];
    if (!isObject(source)) return;
    const target = isObject(source.target) ? source.target : {};
    source.target = { type, [value]: target[value] ?? (value === 'averageUtilization' ? 50 : '5') };
  };
  only('object', 'Value', 'value');
  only('pods', 'AverageValue', 'averageValue');
  only('resource', 'Utilization', 'averageUtilization');
  only('containerResource', 'AverageValue', 'averageValue');
  only('external', 'Value', 'value');
}

/** Reduces a current metric to what its source can have. */
function current(metric: Json): void {
  const says: Readonly<Record<string, readonly string[]>> = {
    object: ['value', 'averageValue'],
    pods: ['averageValue'],
    resource: ['averageUtilization', 'averageValue'],
    containerResource: ['averageUtilization', 'averageValue'],
    external: ['value', 'averageValue'],
  };
  for (const [name, members] of Object.entries(says)) {
    const source = metric[name];
    if (!isObject(source)) continue;
    const seen = isObject(source.current) ? source.current : {};
    source.current = {
      averageValue: '5',
      ...Object.fromEntries(members.flatMap((m) => (m in seen ? [[m, seen[m] ?? '']] : []))),
    };
  }
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const objects = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isObject) : []);

const isEmpty = (value: Json): boolean => Object.keys(value).length === 0;

function drop(holder: Json, name: string, when: (value: Json) => boolean): void {
  const value = holder[name];
  if (value !== undefined && when(isObject(value) ? value : {})) delete holder[name];
}

function dropEmpty(holder: Json, name: string): void {
  const value = holder[name];
  if (Array.isArray(value) ? value.length === 0 : isObject(value) && isEmpty(value)) delete holder[name];
}
