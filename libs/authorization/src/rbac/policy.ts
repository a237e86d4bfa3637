import { serviceAccountUser, type UserInfo } from '@orch/authentication';
import type { Decision, RequestAttributes } from '../authorizer.js';
import { TooManyRulesError, uncovered } from './covers.js';
import { CompiledRules, type PolicyRule } from './policy-rule.js';
import type { BindingObject, RoleObject, RoleRef, Subject } from './rbac-objects.js';

/** Users and groups whose rights a change may have reduced. */
export interface Concerned {
  /** Names of users, service accounts among them as `system:serviceaccount:namespace:name`. */
  readonly users: ReadonlySet<string>;
  /** Names of groups; all members of each are affected. */
  readonly groups: ReadonlySet<string>;
}

/** A role prepared for checks. */
interface KnownRole {
  readonly object: RoleObject;
  /** Compiled on first use: most never are. */
  compiled?: CompiledRules;
}

/** A binding as indexed by its subjects. */
interface Grant {
  readonly binding: BindingObject;
  readonly holders: Holders;
  /** Name of the granted role. */
  readonly role: string;
  /**
   * Its last description, and the subject's index: most bindings have one, or are checked for the same one repeatedly.
   */
  description?: { readonly at: number; readonly text: string };
}

/** The bindings of one namespace, or of all, by their subjects. */
class Scope {
  readonly users = new Map<string, Grant[]>();
  readonly groups = new Map<string, Grant[]>();
  /** Number of bindings in it; the scope is removed with the last. */
  size = 0;

  add(grant: Grant): void {
    this.size++;
    for (const [kind, name] of each(grant.holders)) {
      const grants = this[kind].get(name);
      if (grants) grants.push(grant);
      else this[kind].set(name, [grant]);
    }
  }

  remove(binding: BindingObject): void {
    this.size--;
    for (const [kind, name] of each(holdersOf(binding))) {
      const left = this[kind].get(name)?.filter((grant) => grant.binding !== binding) ?? [];
      if (left.length > 0) this[kind].set(name, left);
      else this[kind].delete(name);
    }
  }

  /** Grants of a user, and of the groups it is in. */
  *of({ name, groups }: UserInfo): Iterable<Grant> {
    const own = this.users.get(name);
    if (own) yield* own;
    for (const group of groups) {
      const shared = this.groups.get(group);
      if (shared) yield* shared;
    }
  }
}

/**
 * Roles and bindings, indexed by their subjects: a check costs only the bindings of the user, however many others there
 * are. Objects are added and removed one by one.
 */
export class RbacPolicy {
  readonly #roles = new Map<string, KnownRole>();
  readonly #bindings = new Map<string, BindingObject>();
  /** Bindings by their role. */
  readonly #given = new Map<string, Set<BindingObject>>();
  readonly #cluster = new Scope();
  readonly #namespaces = new Map<string, Scope>();

  /** @param group API group of the kinds, for refusals */
  constructor(private readonly group: string) {}

  /** All known roles, in no order. */
  *roles(): Iterable<RoleObject> {
    for (const { object } of this.#roles.values()) yield object;
  }

  /** Returns a role; undefined if it is unknown. The namespace is empty for a ClusterRole. */
  role(namespace: string, name: string): RoleObject | undefined {
    return this.#roles.get(keyOf(namespace, name))?.object;
  }

  /** Returns a binding; undefined if it is unknown. The namespace is empty for a ClusterRoleBinding. */
  binding(namespace: string, name: string): BindingObject | undefined {
    return this.#bindings.get(keyOf(namespace, name));
  }

  /** Adds or replaces a role. @returns whose rights it reduces */
  putRole(object: RoleObject): Concerned | undefined {
    const key = keyOf(object.namespace, object.name);
    const before = this.#roles.get(key)?.object;
    this.#roles.set(key, { object });
    return before && takesFrom(before.rules, object.rules) ? this.#holdersOfRole(key) : undefined;
  }

  /** @returns whose rights it reduces */
  removeRole(namespace: string, name: string): Concerned | undefined {
    const key = keyOf(namespace, name);
    return this.#roles.delete(key) ? this.#holdersOfRole(key) : undefined;
  }

  /** Adds or replaces a binding. @returns whose rights it reduces */
  putBinding(object: BindingObject): Concerned | undefined {
    const before = this.binding(object.namespace, object.name);
    this.removeBinding(object.namespace, object.name);
    const role = roleKey(object);
    this.#bindings.set(keyOf(object.namespace, object.name), object);
    const given = this.#given.get(role);
    if (given) given.add(object);
    else this.#given.set(role, new Set([object]));
    this.#scopeFor(object.namespace).add({ binding: object, holders: holdersOf(object), role });
    return before && concernedBy([before], roleKey(before) === role ? object : undefined);
  }

  /** @returns whose rights it reduces */
  removeBinding(namespace: string, name: string): Concerned | undefined {
    const key = keyOf(namespace, name);
    const known = this.#bindings.get(key);
    if (!known) return undefined;
    this.#bindings.delete(key);
    const role = roleKey(known);
    const given = this.#given.get(role);
    given?.delete(known);
    if (given?.size === 0) this.#given.delete(role);
    const scope = this.#scopeFor(namespace);
    scope.remove(known);
    if (namespace !== '' && scope.size === 0) this.#namespaces.delete(namespace);
    return concernedBy([known]);
  }

  /**
   * Decides on a request. Missing roles of bindings are skipped, and named if nothing else allows it. Paths, and
   * resources without a namespace, are granted by ClusterRoleBindings alone.
   */
  decide(user: UserInfo, request: RequestAttributes): Decision {
    const missing: Grant[] = [];
    for (const scope of this.#scopesOf(request.namespace)) {
      for (const grant of scope.of(user)) {
        const role = this.#roles.get(grant.role);
        if (!role) missing.push(grant);
        else if (compiledOf(role).allow(request)) {
          return { decision: 'allow', reason: `RBAC: allowed by ${described(grant, user)}` };
        }
      }
    }
    if (missing.length === 0) return DENIED;
    return { decision: 'no-opinion', reason: `RBAC: ${this.#aggregated(missing)}` };
  }

  /** Returns the rules of a user in a namespace, and problems with others, if there are any. */
  rulesFor(user: UserInfo, namespace: string): { readonly rules: readonly PolicyRule[]; readonly error: string } {
    const rules: PolicyRule[] = [];
    const missing: Grant[] = [];
    const seen = new Set<BindingObject>();
    for (const scope of this.#scopesOf(namespace)) {
      for (const grant of scope.of(user)) {
        if (seen.has(grant.binding)) continue;
        seen.add(grant.binding);
        const role = this.#roles.get(grant.role);
        if (role) rules.push(...role.object.rules);
        else missing.push(grant);
      }
    }
    return { rules, error: missing.length === 0 ? '' : this.#aggregated(missing) };
  }

  *#scopesOf(namespace: string): Iterable<Scope> {
    yield this.#cluster;
    const local = namespace === '' ? undefined : this.#namespaces.get(namespace);
    if (local) yield local;
  }

  #scopeFor(namespace: string): Scope {
    if (namespace === '') return this.#cluster;
    const known = this.#namespaces.get(namespace);
    if (known) return known;
    const made = new Scope();
    this.#namespaces.set(namespace, made);
    return made;
  }

  #holdersOfRole(key: string): Concerned | undefined {
    const given = this.#given.get(key);
    return given && concernedBy(given);
  }

  #aggregated(missing: readonly Grant[]): string {
    const texts = missing.map(({ binding: { roleRef } }) => {
      const kind = roleRef.kind.toLowerCase();
      return `${kind}.${this.group} ${JSON.stringify(roleRef.name)} not found`;
    });
    const distinct = [...new Set(texts)];
    return distinct.length === 1 ? (distinct[0] ?? '') : `[${distinct.join(', ')}]`;
  }
}

const DENIED: Decision = { decision: 'no-opinion', reason: '' };

const compiledOf = (role: KnownRole): CompiledRules => {
  role.compiled ??= new CompiledRules(role.object.rules);
  return role.compiled;
};

/** Neither namespaces nor names of these kinds contain a slash. */
const keyOf = (namespace: string, name: string): string => `${namespace}/${name}`;

/** Key of a binding's role: of its own namespace, or cluster-scoped. */
const roleKey = ({ namespace, roleRef }: BindingObject): string =>
  keyOf(namespaceOfRole(roleRef, namespace), roleRef.name);

/** Returns the namespace of the role of a binding in a namespace; empty for a ClusterRole. */
export const namespaceOfRole = ({ kind }: RoleRef, namespace: string): string => (kind === 'Role' ? namespace : '');

type Holder = readonly ['users' | 'groups', string];

/** Subjects of a binding, each once: names, with the index of the first subject that names them. */
interface Holders {
  readonly users: ReadonlyMap<string, number>;
  readonly groups: ReadonlyMap<string, number>;
}

function holdersOf({ subjects, namespace }: BindingObject): Holders {
  const found = { users: new Map<string, number>(), groups: new Map<string, number>() };
  for (const [at, subject] of subjects.entries()) {
    const holder = holderOf(subject, namespace);
    if (holder && !found[holder[0]].has(holder[1])) found[holder[0]].set(holder[1], at);
  }
  return found;
}

function* each({ users, groups }: Holders): Iterable<Holder> {
  for (const name of users.keys()) yield ['users', name];
  for (const name of groups.keys()) yield ['groups', name];
}

/** Returns the key of a subject; undefined for an invalid one: a service account without a namespace. */
function holderOf({ kind, name, namespace = '' }: Subject, within: string): Holder | undefined {
  if (kind === 'User') return ['users', name];
  if (kind === 'Group') return ['groups', name];
  const of = namespace || within;
  return kind === 'ServiceAccount' && of !== '' ? ['users', serviceAccountUser({ namespace: of, name })] : undefined;
}

/** @param still its subjects are not affected */
function concernedBy(bindings: Iterable<BindingObject>, still?: BindingObject): Concerned | undefined {
  const concerned = { users: new Set<string>(), groups: new Set<string>() };
  for (const binding of bindings) for (const [kind, name] of each(holdersOf(binding))) concerned[kind].add(name);
  if (still) for (const [kind, name] of each(holdersOf(still))) concerned[kind].delete(name);
  return concerned.users.size + concerned.groups.size > 0 ? concerned : undefined;
}

/**
 * Limit of smallest rules compared to prove that no right is lost: beyond it, treating all holders of a role as
 * affected is cheaper.
 */
const MOST_COMPARED = 2_000;

/** Whether rules allow less than those before; also if that is too expensive to compare. */
function takesFrom(before: readonly PolicyRule[], now: readonly PolicyRule[]): boolean {
  try {
    return uncovered(now, before, MOST_COMPARED).length > 0;
  } catch (error) {
    if (error instanceof TooManyRulesError) return true;
    throw error;
  }
}

/** Describes a binding for audit and reviews, by the first of its subjects that the user matches. */
function described(grant: Grant, user: UserInfo): string {
  const { users, groups } = grant.holders;
  let at = users.get(user.name) ?? grant.binding.subjects.length;
  for (const group of user.groups) at = Math.min(at, groups.get(group) ?? at);
  if (grant.description?.at !== at) grant.description = { at, text: textOf(grant.binding, at) };
  return grant.description.text;
}

function textOf({ namespace, name, roleRef, subjects }: BindingObject, at: number): string {
  const kind = namespace === '' ? 'ClusterRoleBinding' : 'RoleBinding';
  const named = JSON.stringify(namespace === '' ? name : `${name}/${namespace}`);
  return `${kind} ${named} of ${roleRef.kind} ${JSON.stringify(roleRef.name)} to ${shown(subjects[at], namespace)}`;
}

function shown(subject: Subject | undefined, within: string): string {
  if (!subject) return '';
  const { kind, name, namespace } = subject;
  return `${kind} ${JSON.stringify(kind === 'ServiceAccount' ? `${name}/${namespace || within}` : name)}`;
}
