import { Admission, type Operation, type SelectedPlugins } from '@orch/admission';
import { selectPlugins } from '../stages/admission.js';
import type { Modification, WriteRequest } from './write-request.js';

const NO_PLUGINS = new Admission([]);

/**
 * A requested write: the request, how it changes the object, and the admission plugins that are called for it, which
 * are selected once for all attempts.
 */
export class RequestedWrite {
  readonly #admission: Admission;
  #own: SelectedPlugins | undefined;
  #creating: SelectedPlugins | undefined;

  constructor(
    /** Request that is carried out. */
    readonly request: WriteRequest,
    /** Change or creation of the object. */
    readonly make: Modification,
    admission: Admission,
  ) {
    this.#admission = request.admitted ? NO_PLUGINS : admission;
  }

  /** Returns the plugins by the effective operation: an update may turn out to be a creation. */
  plugins(operation: Operation): SelectedPlugins {
    if (operation !== this.request.operation) {
      this.#creating ??= selectPlugins(this.#admission, this.request, operation);
      return this.#creating;
    }
    this.#own ??= selectPlugins(this.#admission, this.request, operation);
    return this.#own;
  }

  /** Whether something outside of the process may be called, also where an update turns out to be a creation. */
  get callsOut(): boolean {
    const { request, make } = this;
    if (request.endpoint.stage && !request.hints?.unanswered) return true;
    return this.plugins(request.operation).callsOut || (make.create !== undefined && this.plugins('CREATE').callsOut);
  }
}
