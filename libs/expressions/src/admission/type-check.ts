import type { Environment } from '../environment.js';
import { declaredType, scopeOf } from '../schema-types/declared-type.js';
import type { SchemaProps } from '../schema-types/structural-schema.js';
import { ExpressionError } from '../syntax/issues.js';
import type { Scope } from '../types/declarations.js';
import type { CelType } from '../types/type.js';
import { admissionScope } from './admission-scope.js';

/** Known types of the objects in expressions about a write; `{}` for none. */
export interface KnownTypes {
  /** Schema of `object` and `oldObject`. */
  readonly object: SchemaProps;
  /** Schema of `params`; undefined where there are none. */
  readonly params: SchemaProps | undefined;
}

/**
 * The scope of expressions about writes of objects of one kind (k8s.io/apiserver,
 * pkg/admission/plugin/validatingadmissionpolicy/typechecking.go, except that the authorizer is typed).
 */
export function typedAdmissionScope({ object, params }: KnownTypes): Scope {
  const scopes = [
    admissionScope({ params: params !== undefined, namespace: true }),
    ...typed(object, ['object', 'oldObject'], 'object'),
    ...(params ? typed(params, ['params'], 'params') : []),
  ];
  return {
    variables: new Map(scopes.flatMap(({ variables }) => [...variables])),
    fieldType(of, field) {
      for (const scope of scopes) {
        const found = scope.fieldType(of, field);
        if (found) return found;
      }
      return undefined;
    },
    hasType: (name) => scopes.some((scope) => scope.hasType(name)),
  };
}

function typed(schema: SchemaProps, variables: readonly string[], name: string): Scope[] {
  const declared = declaredType(schema, true);
  return declared ? [scopeOf(declared, variables, name)] : [];
}

/** Returns the type errors of an expression, in the reference's wording; undefined for none. */
export const typeFaults = (text: string, environment: Environment, scope: Scope): string | undefined =>
  checkedType(text, environment, scope).fault;

/** Returns the type of an expression, or its type errors. */
export function checkedType(
  text: string,
  environment: Environment,
  scope: Scope,
): { readonly type?: CelType; readonly fault?: string } {
  try {
    return { type: environment.compile(text, scope).type };
  } catch (error) {
    if (error instanceof ExpressionError) return { fault: error.message };
    throw error;
  }
}
