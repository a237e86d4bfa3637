import { type ApiObject, type FieldError, invalidValue } from '@orch/machinery';
import { MAX_INT32 } from '../rules/checks.js';
import { ScaleError, type ScaleRules } from '../rules/kind-rules.js';
import { type Json, textAt } from '../values/fields.js';
import { AccessError, integerAt, memberPath, setAt, stringAt } from './nested.js';

/** Rules of the `scale` subresource of a version: the paths that its definition declares. */
export class CustomScale implements ScaleRules {
  readonly replicasPath: string;
  readonly #statusReplicas: string;
  readonly #selector: string;

  /** @param declared `subresources.scale` of the version */
  constructor(declared: Readonly<Json>) {
    this.replicasPath = textAt(declared, 'specReplicasPath');
    this.#statusReplicas = textAt(declared, 'statusReplicasPath');
    this.#selector = textAt(declared, 'labelSelectorPath');
  }

  read(object: ApiObject): ReturnType<ScaleRules['read']> {
    return asScale(() => {
      const replicas = integerAt(object, memberPath(this.replicasPath));
      const statusReplicas = integerAt(object, memberPath(this.#statusReplicas)) ?? 0;
      return {
        replicas: replicas === undefined ? undefined : Number(replicas),
        statusReplicas: Number(statusReplicas),
        selector: this.#selector === '' ? '' : stringAt(object, memberPath(this.#selector)),
      };
    });
  }

  write(object: ApiObject, replicas: number): void {
    asScale(() => setAt(object, memberPath(this.replicasPath), replicas));
  }

  /** Returns the errors of the scale's values. @param isStatus whether only the observed ones are checked */
  errors(object: ApiObject, isStatus: boolean): FieldError[] {
    return [
      ...(isStatus ? [] : countErrors(object, this.replicasPath)),
      ...countErrors(object, this.#statusReplicas),
      ...(this.#selector === '' ? [] : selectorErrors(object, this.#selector)),
    ];
  }
}

function asScale<T>(action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw error instanceof AccessError ? new ScaleError(error.message) : error;
  }
}

function countErrors(object: ApiObject, path: string): FieldError[] {
  return found(path, 0, () => {
    const count = integerAt(object, memberPath(path)) ?? 0;
    if (count < 0) return [invalidValue(path, count, 'should be a non-negative integer')];
    return count > MAX_INT32 ? [invalidValue(path, count, `should be less than or equal to ${MAX_INT32}`)] : [];
  });
}

const selectorErrors = (object: ApiObject, path: string): FieldError[] =>
  found(path, '', () => {
    stringAt(object, memberPath(path));
    return [];
  });

/** Runs a check; an unreadable value is an error. @param none value in that error */
function found(path: string, none: string | number, check: () => FieldError[]): FieldError[] {
  try {
    return check();
  } catch (error) {
    if (error instanceof AccessError) return [invalidValue(path, none, error.message)];
    throw error;
  }
}
