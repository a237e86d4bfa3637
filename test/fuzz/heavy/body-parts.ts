import { CORE, type Filling, typed } from './heavy-request.js';

/** Path of the collection of a kind. */
export const namespaced = (group: string, resource: string) => `/apis/${group}/namespaces/default/${resource}`;
export const PODS = `${CORE}/pods`;
export const POD = typed('v1', 'Pod');
/** A pod up to the members of its only container, and what closes it. */
export const POD_HEAD = `{${POD},"spec":{"containers":[{"name":"c","image":"i"`;
export const POD_TAIL = '}]}}';

export type Piece = (index: number) => string;
/** A body that grows by pieces between its head and its tail. */
export type Body = readonly [name: string, path: string, head: string, piece: Piece, tail: string, filling?: Filling];

/** Around one list of the only container of a pod. */
export const inContainer = (name: string, list: string, piece: (index: number) => string): Body => [
  name,
  PODS,
  `${POD_HEAD},"${list}":[`,
  piece,
  `]${POD_TAIL}`,
];
/** Around one list of a pod. */
export const inPod = (name: string, list: string, piece: (index: number) => string): Body => [
  name,
  PODS,
  `{${POD},"spec":{"containers":[{"name":"c","image":"i"}],"${list}":[`,
  piece,
  ']}}',
];

/** Returns this many pieces as a JSON list. */
export function list(count: number, piece: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => piece(index)).join(',');
}

/** A definition, open where its spec goes on. */
export function definition(rest: string): string {
  return `{${typed('apiextensions.k8s.io/v1', 'CustomResourceDefinition', 'as.example.com')},"spec":{"group":"example.com","scope":"Namespaced","names":{"plural":"as","kind":"A"},${rest}`;
}
