import type { ApiObject, LabelSelector } from '@orch/machinery';
import type { ReviewedForms } from '../webhook/webhook-services.js';

/** A kind of objects that policies take parameters from. */
export interface ParamKind {
  /** Group and version: `v1`, `example.com/v1`. */
  readonly apiVersion: string;
  /** Name of the kind: `ConfigMap`. */
  readonly kind: string;
}

/** Objects of the kinds that policies name, built in or custom. */
export interface ParamObjects {
  /** Sets the kinds that are looked up from now on; the cache of others may be dropped. */
  follow(kinds: readonly ParamKind[]): void;
  /** Returns whether a kind is namespaced; undefined for an unknown kind. */
  isNamespaced(kind: ParamKind): boolean | undefined;
  /**
   * Returns an object in the version of the kind, as new as the cache of this process and at least as new as writes
   * through this process; undefined if there is none. Callers must not change it. Returns a promise only if that takes
   * time: just after a kind was first named, or for a version that a webhook converts to.
   * @param namespace '' for an object without one
   * @param deadline monotonic milliseconds
   * @throws StatusError 504 if it is not available in time; 500 if the conversion fails
   */
  find(
    kind: ParamKind,
    namespace: string,
    name: string,
    deadline: number,
  ): ApiObject | undefined | Promise<ApiObject | undefined>;
  /**
   * Returns all objects that match a label selector, sorted by name, under the conditions of `find`.
   * @param namespace '' for objects without one
   */
  select(
    kind: ParamKind,
    namespace: string,
    selector: LabelSelector,
    deadline: number,
  ): readonly ApiObject[] | Promise<readonly ApiObject[]>;
}

/** Host of the plugin for policies: what it needs of the process. */
export interface PolicyServices {
  /** Converts objects to the versions that policies see. */
  readonly forms: Pick<ReviewedForms, 'own' | 'equivalents' | 'served' | 'sent'>;
  /** Reads the parameters of policies. */
  readonly params: ParamObjects;
  /** Counts a match condition of a policy that could not be evaluated. */
  conditionFailed(policy: string): void;
}
