export type Method = 'get' | 'put' | 'post' | 'delete' | 'patch' | 'head' | 'options';

/** Form of a verb in an operation's id, and its HTTP method. */
export interface VerbForm {
  readonly method: Method;
  readonly prefix: string;
  readonly action: string;
  readonly text: string;
  /** Struct whose fields are the query parameters. */
  readonly options?: string;
  readonly sendsObject?: boolean;
  readonly codes: readonly number[];
}

const OK = [200] as const;
const CREATED = [200, 201] as const;
/** The verbs by their names in declarations. */
export const VERBS: Readonly<Record<string, VerbForm>> = {
  list: {
    method: 'get',
    prefix: 'list',
    action: 'list',
    text: 'List or watch',
    options: 'meta/v1.ListOptions',
    codes: OK,
  },
  create: {
    method: 'post',
    prefix: 'create',
    action: 'post',
    text: 'Create',
    options: 'meta/v1.CreateOptions',
    sendsObject: true,
    codes: [200, 201, 202],
  },
  deletecollection: {
    method: 'delete',
    prefix: 'delete',
    action: 'deletecollection',
    text: 'Delete a collection of',
    options: 'meta/v1.ListOptions',
    codes: OK,
  },
  get: { method: 'get', prefix: 'read', action: 'get', text: 'Read', codes: OK },
  update: {
    method: 'put',
    prefix: 'replace',
    action: 'put',
    text: 'Replace',
    options: 'meta/v1.UpdateOptions',
    sendsObject: true,
    codes: CREATED,
  },
  patch: {
    method: 'patch',
    prefix: 'patch',
    action: 'patch',
    text: 'Patch',
    options: 'meta/v1.PatchOptions',
    codes: CREATED,
  },
  delete: {
    method: 'delete',
    prefix: 'delete',
    action: 'delete',
    text: 'Delete',
    options: 'meta/v1.DeleteOptions',
    codes: [200, 202],
  },
};
const OLD_WATCH: VerbForm = {
  method: 'get',
  prefix: 'watch',
  action: 'watch',
  text: 'Deprecated: list with the query watch instead. Watch',
  options: 'meta/v1.ListOptions',
  codes: OK,
};
/** Legacy watches, from before there was a query for it: of one object, and of a collection. */
export const OLD_WATCHES = { object: OLD_WATCH, list: { ...OLD_WATCH, action: 'watchlist' } } as const;
export const COLLECTION_VERBS = ['list', 'create', 'deletecollection'] as const;
export const OBJECT_VERBS = ['get', 'update', 'patch', 'delete'] as const;
