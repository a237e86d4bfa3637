import type { GroupVersionKind, JsonObject } from '@orch/machinery';
import { deletionAnswersObject } from '../deletion-answer.js';
import type { StructSchema, Subresource } from '../model.js';
import { PATCH_TYPES, STRATEGIC_PATCH } from '../patch-types.js';
import { listModel } from './list-struct.js';
import { type DocumentedResource, kindStruct, type ModelSource, type OpenApiSource } from './source.js';
import { COLLECTION_VERBS, type Method, OBJECT_VERBS, OLD_WATCHES, VERBS, type VerbForm } from './verb-forms.js';

/** A parameter of an operation, in neither version's notation. */
export interface Parameter {
  readonly name: string;
  readonly in: 'query' | 'path';
  readonly description: string;
  readonly type: 'string' | 'integer' | 'boolean';
}

/** An operation of a path. */
export interface OpenApiOp {
  readonly path: string;
  readonly method: Method;
  readonly operationId: string;
  readonly tag: string;
  readonly description: string;
  /** Verb in the words of `x-kubernetes-action`, applied to `kind`; absent for what is no resource. */
  readonly action?: string;
  readonly gvk?: GroupVersionKind;
  readonly consumes: readonly string[];
  readonly produces: readonly string[];
  readonly parameters: readonly Parameter[];
  readonly body?: ModelSource;
  /** Absent for text. */
  readonly response?: ModelSource;
  readonly codes: readonly number[];
}

/** Paths of collections and objects, and the parameters in them. */
interface Place {
  readonly path: string;
  readonly parameters: readonly Parameter[];
  /** End of the operation's id: `NamespacedPodStatus`. */
  readonly noun: string;
}

const pathParameter = (name: string, description: string): Parameter => ({
  name,
  in: 'path',
  description,
  type: 'string',
});
const NAME = pathParameter('name', 'Name of the object.');
const NAMESPACE = pathParameter('namespace', 'Namespace of the object.');
const PRETTY: Parameter = {
  name: 'pretty',
  in: 'query',
  description: 'If true, the answer is indented for human readers.',
  type: 'string',
};

const REST = pathParameter('path', 'Path that the request goes on with.');

/** Subresources that take over the connection; each method is an operation without a body of its own. */
const CONNECT: ReadonlySet<string> = new Set(['attach', 'exec', 'portforward', 'proxy']);
/** The subresource that accepts every method, on every path below. */
const PROXY = 'proxy';

const TEXTS = ['application/json', 'application/yaml'];

/** Media types of declared objects. */
export const objectTypes = ({ scheme }: OpenApiSource): string[] => [...TEXTS, scheme.names.protobufMediaType];

/** `/api/v1` or `/apis/<group>/<version>`. */
export const groupVersionPath = ({ group, version }: { group: string; version: string }): string =>
  group === '' ? `/api/${version}` : `/apis/${group}/${version}`;

/** Every operation on a served resource and its subresources. */
export function operationsOf(definition: DocumentedResource, source: OpenApiSource): OpenApiOp[] {
  return new ResourceOperations(definition, source).all();
}

class ResourceOperations {
  private readonly group: string;

  constructor(
    private readonly definition: DocumentedResource,
    private readonly source: OpenApiSource,
  ) {
    this.group = camelGroup(definition.group, source.scheme.names.group('orch.io'));
  }

  /** Objects of custom kinds have no binary form, no struct that declares their patches, and no legacy watches. */
  private get isCustom(): boolean {
    return this.definition.schema.kind === 'custom';
  }

  all(): OpenApiOp[] {
    return [
      ...this.ofCollections(),
      ...this.ofObjects(),
      ...this.ofOldWatches(),
      ...this.definition.subresources.flatMap((each) => this.ofSubresource(each)),
    ];
  }

  private ofCollections(): OpenApiOp[] {
    const { definition } = this;
    const here = this.collection(definition.namespaced);
    const verbs = COLLECTION_VERBS.filter((verb) => definition.verbs.includes(verb));
    const operations = verbs.map((verb) =>
      this.operation(verb, here, definition, verb === 'deletecollection' ? 'Collection' : ''),
    );
    if (!definition.namespaced || !definition.verbs.includes('list')) return operations;
    const everywhere = { ...this.collection(false), noun: `${definition.kind}ForAllNamespaces` };
    return [...operations, this.operation('list', everywhere, definition)];
  }

  private ofObjects(): OpenApiOp[] {
    const verbs = OBJECT_VERBS.filter((verb) => this.definition.verbs.includes(verb));
    return verbs.map((verb) => this.operation(verb, this.object(), this.definition));
  }

  private ofOldWatches(): OpenApiOp[] {
    const { namespaced, verbs, kind } = this.definition;
    if (!verbs.includes('watch') || this.isCustom) return [];
    const [object, list, everywhere] = [this.object(), this.collection(namespaced), this.collection(false)];
    return [
      this.oldWatch(OLD_WATCHES.object, object),
      this.oldWatch(OLD_WATCHES.list, { ...list, noun: `${list.noun}List` }),
      ...(namespaced ? [this.oldWatch(OLD_WATCHES.list, { ...everywhere, noun: `${kind}ListForAllNamespaces` })] : []),
    ];
  }

  private oldWatch(form: VerbForm, place: Place): OpenApiOp {
    const prefix = groupVersionPath(this.definition);
    const { path, parameters, noun } = place;
    return {
      ...this.frame(form, { ...place, path: `${prefix}/watch${path.slice(prefix.length)}` }, this.definition),
      operationId: `${form.prefix}${this.prefix()}${noun}`,
      consumes: ['*/*'],
      produces: [...objectTypes(this.source), ...this.streamTypes()],
      parameters: [...parameters, PRETTY, ...this.query('watch', form, false)],
      response: this.source.scheme.struct('meta/v1.WatchEvent'),
    };
  }

  private ofSubresource(subresource: Subresource): OpenApiOp[] {
    const object = this.object();
    const place: Place = {
      ...object,
      path: `${object.path}/${subresource.name}`,
      noun: object.noun + upperFirst(subresource.name),
    };
    if (CONNECT.has(subresource.name)) return this.connections(subresource, place);
    return subresource.verbs.flatMap((verb) => (VERBS[verb] ? [this.operation(verb, place, subresource)] : []));
  }

  private connections(subresource: Subresource, place: Place): OpenApiOp[] {
    const methods = subresource.verbs.flatMap((verb) => VERBS[verb]?.method ?? []);
    const connect = (method: Method, to: Place) => this.connection(subresource, method, to);
    if (subresource.name !== PROXY) return methods.map((method) => connect(method, place));
    const parameters = [...place.parameters, REST];
    const below: Place = { path: `${place.path}/{path}`, parameters, noun: `${place.noun}WithPath` };
    const all: Method[] = [...methods, 'head', 'options'];
    return [place, below].flatMap((to) => all.map((method) => connect(method, to)));
  }

  private connection(subresource: Subresource, method: Method, place: Place): OpenApiOp {
    const { name, group, version, kind } = subresource;
    return {
      ...this.frame({ method, action: 'connect', text: '', codes: [200] }, place, subresource),
      operationId: `connect${this.prefix()}${upperFirst(method)}${place.noun}`,
      description: `Connect ${method.toUpperCase()} requests to ${name} of ${this.definition.kind}.`,
      consumes: ['*/*'],
      produces: ['*/*'],
      parameters: [...place.parameters, ...queryOf(kindStruct(this.source, group, version, kind))],
    };
  }

  private operation(verb: string, place: Place, target: GroupVersionKind, insert = ''): OpenApiOp {
    const form = VERBS[verb];
    if (!form) throw new Error(`no operation for the verb ${verb}`);
    const isLog = target !== this.definition && place.path.endsWith('/log');
    const own = this.schemaOf(target);
    return {
      ...this.frame(form, place, target),
      operationId: `${form.prefix}${this.prefix()}${insert}${place.noun}`,
      ...this.contents(verb, form, target, own, isLog),
      parameters: [...place.parameters, PRETTY, ...this.query(verb, form, isLog)],
    };
  }

  private frame(
    form: Pick<VerbForm, 'method' | 'action' | 'text' | 'codes'>,
    place: Place,
    { group, version, kind }: GroupVersionKind,
  ) {
    return {
      path: place.path,
      method: form.method,
      tag: `${lowerFirst(this.group)}_${this.definition.version}`,
      description: `${form.text} ${kind}.`,
      action: form.action,
      gvk: { group, version, kind },
      codes: form.codes,
    };
  }

  private contents(verb: string, form: VerbForm, target: GroupVersionKind, own: ModelSource, isLog: boolean) {
    const types = this.isCustom ? TEXTS : objectTypes(this.source);
    const watch = verb === 'list' && !this.isCustom ? this.streamTypes() : [];
    const sent = this.bodyOf(verb, form, own);
    const response = this.responseOf(verb, target, own);
    return {
      consumes: verb === 'patch' ? this.patchTypes() : this.isCustom ? TEXTS : ['*/*'],
      produces: isLog ? ['text/plain', ...types] : [...types, ...watch],
      ...(sent && { body: sent }),
      ...(!isLog && { response }),
    };
  }

  private patchTypes(): readonly string[] {
    return this.isCustom ? PATCH_TYPES.filter((type) => type !== STRATEGIC_PATCH) : PATCH_TYPES;
  }

  private streamTypes(): string[] {
    return ['application/json', this.source.scheme.names.protobufMediaType].map((type) => `${type};stream=watch`);
  }

  private bodyOf(verb: string, form: VerbForm, own: ModelSource): ModelSource | undefined {
    if (form.sendsObject) return own;
    return verb === 'delete' || verb === 'deletecollection'
      ? this.source.scheme.struct('meta/v1.DeleteOptions')
      : undefined;
  }

  private responseOf(verb: string, target: GroupVersionKind, own: ModelSource): ModelSource {
    if (verb === 'delete' && own.kind === 'struct' && deletionAnswersObject(own)) return own;
    if (verb === 'delete' || verb === 'deletecollection') return this.source.scheme.struct('meta/v1.Status');
    return verb === 'list' && target === this.definition ? listModel(this.definition, this.source) : own;
  }

  private query(verb: string, form: VerbForm, isLog: boolean): Parameter[] {
    if (isLog) return queryOf(kindStruct(this.source, '', 'v1', 'PodLogOptions'));
    const own = form.options ? queryOf(this.source.scheme.struct(form.options)) : [];
    if (verb !== 'deletecollection') return own;
    const deleting = queryOf(this.source.scheme.struct('meta/v1.DeleteOptions'));
    return [...own.filter(({ name }) => !['watch', 'allowWatchBookmarks'].includes(name)), ...deleting];
  }

  private collection(namespaced: boolean): Place {
    const { definition } = this;
    const prefix = groupVersionPath(definition);
    if (!namespaced) return { path: `${prefix}/${definition.resource}`, parameters: [], noun: definition.kind };
    return {
      path: `${prefix}/namespaces/{namespace}/${definition.resource}`,
      parameters: [NAMESPACE],
      noun: `Namespaced${definition.kind}`,
    };
  }

  private object(): Place {
    const { path, parameters, noun } = this.collection(this.definition.namespaced);
    return { path: `${path}/{name}`, parameters: [NAME, ...parameters], noun };
  }

  private schemaOf(target: GroupVersionKind): ModelSource {
    const { group, version, kind, schema } = this.definition;
    const same = target.group === group && target.version === version && target.kind === kind;
    return same ? schema : kindStruct(this.source, target.group, target.version, target.kind);
  }

  private prefix(): string {
    return this.group + upperFirst(this.definition.version);
  }
}

const TYPES: Readonly<Record<string, Parameter['type']>> = {
  string: 'string',
  bool: 'boolean',
  int32: 'integer',
  int64: 'integer',
  time: 'string',
};

/** Returns the fields of an options struct as query parameters; those that a query cannot hold are left out. */
function queryOf(options: StructSchema): Parameter[] {
  return [...options.fields.values()].flatMap(({ name, description, schema }) => {
    // A parameter that may be repeated is described as a single one.
    const type = TYPES[schema.kind === 'list' ? schema.items.kind : schema.kind];
    return type && name !== 'apiVersion' && name !== 'kind' ? [{ name, in: 'query' as const, description, type }] : [];
  });
}

export const upperFirst = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
export const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

/** `rbac.authorization.<suffix>` becomes `RbacAuthorization`, the core group `Core`. */
export function camelGroup(group: string, suffix: string): string {
  const short = group.endsWith(`.${suffix}`) ? group.slice(0, -suffix.length - 1) : group || 'core';
  return short.split(/[.-]/).map(upperFirst).join('');
}

/** Extensions with the action and the kind of an operation. */
export const operationExtensions = ({ action, gvk }: OpenApiOp, prefix: string): JsonObject => ({
  ...(action !== undefined && { [`${prefix}action`]: action }),
  ...(gvk && { [`${prefix}group-version-kind`]: { ...gvk } }),
});
