import { type CelType, DYN, isDyn, isDynOrError, sameType } from './type.js';

/**
 * Bindings of the type parameters of one check. A failed comparison leaves no trace: its bindings are undone, instead
 * of working on a copy as the reference does, which takes quadratic time in the number of lists in an expression.
 */
export class TypeBindings {
  readonly #bound = new Map<string, CelType>();
  readonly #trail: { readonly name: string; readonly before: CelType | undefined }[] = [];

  /** Whether a value of type `b` can be used where `a` is expected; binds parameters if so. */
  assignable(a: CelType, b: CelType): boolean {
    return this.#attempt(() => this.#fits(a, b));
  }

  /** Same for several at once. */
  allAssignable(as: readonly CelType[], bs: readonly CelType[]): boolean {
    return this.#attempt(() => this.#allFit(as, bs));
  }

  /** Returns the type with its parameters replaced by their bindings; free ones by `dyn` if requested. */
  substitute(type: CelType, freeToDyn = false): CelType {
    switch (type.kind) {
      case 'param': {
        const bound = this.#bound.get(type.name);
        if (bound !== undefined) return this.substitute(bound, freeToDyn);
        return freeToDyn ? DYN : type;
      }
      case 'list':
        return { kind: 'list', element: this.substitute(type.element, freeToDyn) };
      case 'map':
        return {
          kind: 'map',
          key: this.substitute(type.key, freeToDyn),
          value: this.substitute(type.value, freeToDyn),
        };
      case 'type':
        return type.of === undefined ? type : { kind: 'type', of: this.substitute(type.of, freeToDyn) };
      case 'abstract':
        return { ...type, parameters: type.parameters.map((parameter) => this.substitute(parameter, freeToDyn)) };
      default:
        return type;
    }
  }

  #attempt(question: () => boolean): boolean {
    this.#trail.length = 0;
    if (question()) return true;
    for (let entry = this.#trail.pop(); entry; entry = this.#trail.pop()) {
      if (entry.before === undefined) this.#bound.delete(entry.name);
      else this.#bound.set(entry.name, entry.before);
    }
    return false;
  }

  /** Binds a parameter to a type. */
  bind(name: string, type: CelType): void {
    this.#trail.push({ name, before: this.#bound.get(name) });
    this.#bound.set(name, type);
  }

  #fits(a: CelType, b: CelType): boolean {
    if (b.kind === 'param') {
      const answer = this.#standsFor(b.name, a, b);
      if (answer !== 'free') return answer === 'yes';
    }
    if (a.kind === 'param') return this.#standsFor(a.name, b, a) === 'yes';
    if (isDynOrError(a) || isDynOrError(b)) return true;
    return this.#concreteFits(a, b);
  }

  #concreteFits(a: CelType, b: CelType): boolean {
    switch (a.kind) {
      case 'null':
        return ['abstract', 'object', 'null', 'timestamp', 'duration', 'wrapper'].includes(b.kind);
      case 'primitive':
      case 'wrapper':
        return (b.kind === 'primitive' || b.kind === 'wrapper') && a.name === b.name;
      case 'list':
        return b.kind === 'list' && this.#fits(a.element, b.element);
      case 'map':
        return b.kind === 'map' && this.#fits(a.key, b.key) && this.#fits(a.value, b.value);
      case 'object':
        return b.kind === 'object' && a.name === b.name;
      case 'abstract':
        return b.kind === 'abstract' && a.name === b.name && this.#allFit(a.parameters, b.parameters);
      default:
        return a.kind === b.kind;
    }
  }

  #allFit(as: readonly CelType[], bs: readonly CelType[]): boolean {
    return as.length === bs.length && as.every((a, i) => this.#fits(a, bs[i] as CelType));
  }

  /** Whether a parameter is, or can be, bound to a type; `free` if it is unbound and must stay so. */
  #standsFor(name: string, type: CelType, param: CelType): 'yes' | 'no' | 'free' {
    if (sameType(type, param)) return 'yes';
    const bound = this.#bound.get(name);
    if (bound !== undefined) {
      if (sameType(type, bound)) return 'yes';
      if (!this.#fits(type, bound)) return 'no';
      const general = mostGeneral(type, bound);
      if (this.#isFreeOf(name, general)) this.bind(name, general);
      return 'yes';
    }
    if (!this.#isFreeOf(name, type)) return 'free';
    this.bind(name, type);
    return 'yes';
  }

  /** Whether a parameter does not occur in a type, nor in the bindings of its parameters. */
  #isFreeOf(name: string, type: CelType): boolean {
    switch (type.kind) {
      case 'param': {
        if (type.name === name) return false;
        const bound = this.#bound.get(type.name);
        return bound === undefined || this.#isFreeOf(name, bound);
      }
      case 'list':
        return this.#isFreeOf(name, type.element);
      case 'map':
        return this.#isFreeOf(name, type.key) && this.#isFreeOf(name, type.value);
      case 'abstract':
        return type.parameters.every((parameter) => this.#isFreeOf(name, parameter));
      default:
        return true;
    }
  }
}

/** Returns the more general one of two types. */
export const mostGeneral = (a: CelType, b: CelType): CelType => (isLessSpecific(a, b) ? a : b);

function isLessSpecific(a: CelType, b: CelType): boolean {
  if (isDyn(a) || a.kind === 'param') return true;
  if (isDyn(b) || b.kind === 'param') return false;
  if (a.kind === 'list') return b.kind === 'list' && isLessSpecific(a.element, b.element);
  if (a.kind === 'map') return b.kind === 'map' && isLessSpecific(a.key, b.key) && isLessSpecific(a.value, b.value);
  if (a.kind === 'type') return b.kind === 'type';
  if (a.kind === 'abstract')
    return (
      b.kind === 'abstract' &&
      a.name === b.name &&
      a.parameters.length === b.parameters.length &&
      a.parameters.every((parameter, i) => isLessSpecific(parameter, b.parameters[i] as CelType))
    );
  return sameType(a, b);
}
