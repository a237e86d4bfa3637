import { type ApiObject, type LabelSelector, labelSelectorOf, SelectorError, StatusError } from '@orch/machinery';
import type { Attributes } from '../attributes.js';
import type { ParamKind, ParamObjects } from './policy-services.js';
import type { ParamRef } from './stored-policy.js';

/**
 * Milliseconds that a request waits for all parameters together: a kind that cannot be loaded must not delay every
 * write until its deadline.
 */
const PARAMS_MS = 2_000;
const NONE_FOUND = 'no params found for policy binding with `Deny` parameterNotFoundAction';

/** The parameters that a binding selects. */
export class ParamChoice {
  /** Label selector; undefined for one object by its name. */
  readonly #selector: LabelSelector | SelectorError | undefined;

  /** @param ref reference of the binding to its parameters */
  constructor(readonly ref: ParamRef) {
    this.#selector = ref.selector && selectorOf(ref);
  }

  /** Label selector; undefined for one object by its name. @throws StatusError 500 for an invalid selector */
  get selector(): LabelSelector | undefined {
    if (this.#selector instanceof SelectorError) throw new StatusError('InternalError', this.#selector.message);
    return this.#selector;
  }

  /** Handles missing parameters by the action of the binding. @throws StatusError 404 unless it is `Allow` */
  checkMissing(): void {
    const { name = '', parameterNotFoundAction: action } = this.ref;
    if (action === 'Allow') return;
    // Release 1.27 has no such action; this is its message.
    const words = action === undefined && this.#selector === undefined ? `${name} not found` : NONE_FOUND;
    throw new StatusError('NotFound', words);
  }
}

function selectorOf({ selector }: ParamRef): LabelSelector | SelectorError {
  try {
    return labelSelectorOf(selector);
  } catch (error) {
    if (error instanceof SelectorError) return error;
    throw error;
  }
}

/**
 * Finds the parameters of policies for one request (k8s.io/apiserver v0.30,
 * pkg/admission/plugin/policy/generic/policy_dispatcher.go).
 */
export class ParamLookup {
  /** Milliseconds left of {@link PARAMS_MS}. */
  #patience = PARAMS_MS;

  constructor(
    private readonly attributes: Pick<Attributes, 'namespace' | 'deadline'>,
    private readonly objects: ParamObjects,
  ) {}

  /**
   * Returns the parameters that a binding selects; none only if the binding allows that.
   * @throws StatusError if there are none, or they cannot be read
   */
  async find(kind: ParamKind, choice: ParamChoice): Promise<readonly ApiObject[]> {
    const namespace = this.#namespace(kind, choice.ref);
    const { selector } = choice;
    const found = await this.#waiting(async (until) => {
      if (selector) return this.objects.select(kind, namespace, selector, until);
      const object = await this.objects.find(kind, namespace, choice.ref.name ?? '', until);
      return object ? [object] : [];
    });
    if (found.length === 0) choice.checkMissing();
    return found;
  }

  /** Returns the namespace of the parameters; '' for a cluster-scoped kind. @throws StatusError 400 */
  #namespace(kind: ParamKind, { namespace = '' }: ParamRef): string {
    if (this.objects.isNamespaced(kind) !== true) {
      if (namespace === '') return '';
      throw new StatusError('BadRequest', 'paramRef.namespace must not be provided for a cluster-scoped `paramKind`');
    }
    const within = namespace || this.attributes.namespace;
    if (within !== '') return within;
    const words = 'cannot use namespaced paramRef in policy binding that matches cluster-scoped resources';
    throw new StatusError('BadRequest', words);
  }

  async #waiting<T>(look: (until: number) => Promise<T>): Promise<T> {
    const began = performance.now();
    try {
      return await look(Math.min(this.attributes.deadline, began + this.#patience));
    } finally {
      this.#patience = Math.max(this.#patience - (performance.now() - began), 0);
    }
  }
}
