import { invalidValue } from '@orch/machinery';
import type { RoleBinding, Subject } from '@orch/schema/types/rbac/v1';
import type { KindDeclaration } from '../rules/kind-rules.js';
import { equal } from '../values/equal.js';
import { ensureObject, fillZero } from '../values/fields.js';
import { shownRoleRef } from '../values/go-syntax.js';
import { validateBinding } from './validation.js';

/** RoleBinding, and ClusterRoleBinding, which stands outside of namespaces. */
export const roleBinding = (namespaced: boolean): KindDeclaration<RoleBinding> => ({
  nameRule: 'pathSegment',
  createOnUpdate: true,
  defaults(object, names) {
    const group = names.group('rbac.authorization.orch.io');
    fillZero(ensureObject(object, 'roleRef'), 'apiGroup', group);
    for (const subject of object.subjects ?? []) defaultSubject(subject, group);
  },
  validate: (object, names) => validateBinding(object, names.group('rbac.authorization.orch.io'), namespaced),
  validateUpdate(object, old) {
    if (equal(object.roleRef, old.roleRef)) return [];
    return [invalidValue('roleRef', shownRoleRef(object.roleRef), 'cannot change roleRef')];
  },
  row: (object) => ({
    Role: `${object.roleRef?.kind ?? ''}/${object.roleRef?.name ?? ''}`,
    Users: subjectsOf(object, 'User').join(', '),
    Groups: subjectsOf(object, 'Group').join(', '),
    ServiceAccounts: subjectsOf(object, 'ServiceAccount').join(', '),
  }),
});

function defaultSubject(subject: Subject, group: string): void {
  if (subject.kind === 'User' || subject.kind === 'Group') fillZero(subject, 'apiGroup', group);
}

const subjectsOf = (object: RoleBinding, kind: string): string[] =>
  (object.subjects ?? [])
    .filter((subject) => subject.kind === kind)
    .map((subject) =>
      kind === 'ServiceAccount'
        ? [subject.namespace ?? '', subject.name ?? ''].filter(Boolean).join('/')
        : (subject.name ?? ''),
    );
