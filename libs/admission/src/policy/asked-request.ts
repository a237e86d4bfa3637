import { type Activation, type AskedAuthorizer, jsonValue } from '@orch/expressions';
import type { ApiObject, JsonObject, Names } from '@orch/machinery';
import type { Attributes } from '../attributes.js';
import { askedAuthorizer, bindingsOf } from '../matching/conditions.js';
import { EvaluationTurns } from '../matching/evaluation-turns.js';
import type { SentAs } from '../matching/match.js';
import { requestOf } from '../webhook/review.js';
import type { PolicyServices } from './policy-services.js';

/** A request as expressions of policies see it; values that several of them use are made once. */
export class AskedRequest {
  /** Authorizer of the request, for expressions. */
  readonly asked: AskedAuthorizer;
  /** Yields to the event loop between evaluations. */
  readonly turns = new EvaluationTurns();
  readonly #request: JsonObject;
  readonly #variables = new Map<string, Promise<Activation>>();

  constructor(
    readonly attributes: Attributes,
    private readonly forms: PolicyServices['forms'],
    names: Names,
  ) {
    this.asked = askedAuthorizer(attributes);
    const own = forms.own(attributes);
    // Expressions see the request as it came, whatever version of the objects they see (as in the reference).
    this.#request = requestOf(attributes, own, own, names);
  }

  /**
   * Returns the values of the variables of expressions.
   * @param as version and kind in which the expressions see the objects
   * @throws Error if they cannot be converted to that
   */
  async variables(as: SentAs, params: ApiObject | undefined): Promise<Activation> {
    const { group, version, resource } = as.resource;
    const key = `${group}/${version}/${resource}`;
    const made = this.#variables.get(key) ?? this.#without(as);
    this.#variables.set(key, made);
    return params ? new Map([...(await made), ['params', jsonValue(params)]]) : made;
  }

  /** Returns the values without parameters, which are null then. */
  async #without(as: SentAs): Promise<Activation> {
    const { asked, attributes, forms } = this;
    const { object, oldObject } = attributes;
    const objects = {
      object: object && (await forms.sent(object, attributes, as)),
      oldObject: oldObject && (await forms.sent(oldObject, attributes, as)),
    };
    return bindingsOf({ ...objects, request: this.#request, attributes }, asked.authorizer);
  }
}
