import type { ApiObject, LabelSelector } from '@orch/machinery';
import type { ReviewedForms } from '../webhook/surroundings.js';

/** A kind of objects by which policies are told what to ask for. */
export interface ParamKind {
  /** `v1`, `example.com/v1`. */
  readonly apiVersion: string;
  /** `ConfigMap`. */
  readonly kind: string;
}

/** Objects of the kinds that policies name, built in or custom. */
export interface ParamObjects {
  /** Says which kinds are looked up from now on; what is known of others may be forgotten. */
  follow(kinds: readonly ParamKind[]): void;
  /** Whether objects of a kind lie in namespaces; undefined where there is no such kind. */
  isNamespaced(kind: ParamKind): boolean | undefined;
  /**
   * An object in the version of the kind, as far as this process knows, and at least as it was written through this process; undefined
   * where there is none. Nobody may change it. A promise only where it takes time: when a kind was named just now, or for a version
   * that a webhook makes.
   * @param namespace '' for an object without one
   * @param deadline monotonic milliseconds
   * @throws StatusError 504 where it does not come in time; 500 where its version cannot be made
   */
  find(
    kind: ParamKind,
    namespace: string,
    name: string,
    deadline: number,
  ): ApiObject | undefined | Promise<ApiObject | undefined>;
  /** The same of all objects with certain labels, by their names. @param namespace '' for those without one */
  select(
    kind: ParamKind,
    namespace: string,
    selector: LabelSelector,
    deadline: number,
  ): readonly ApiObject[] | Promise<readonly ApiObject[]>;
}

/** What the plugin of policies needs of the process. */
export interface PolicySurroundings {
  /** How objects look. */
  readonly forms: Pick<ReviewedForms, 'own' | 'equivalents' | 'served' | 'sent'>;
  /** What policies are told. */
  readonly params: ParamObjects;
  /** Hears of conditions of a policy that could not be evaluated. */
  conditionFailed(policy: string): void;
}
