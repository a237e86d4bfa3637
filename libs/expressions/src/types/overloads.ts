import { TypeBindings } from './bindings.js';
import type { Overload } from './declarations.js';
import { type CelType, DYN, isDyn, sameType } from './type.js';

const NUMBERS = new Set(['int', 'uint', 'double']);

/** Chooses among the forms of functions by the types of arguments. */
export class Overloads {
  /**
   * @param bindings of the check, which dispatch adds to
   * @param newParam makes a fresh type parameter
   */
  constructor(
    private readonly bindings: TypeBindings,
    private readonly newParam: () => CelType,
    private crossTypeComparisons: boolean,
  ) {}

  /** Allows comparisons of numbers of different types from here on. */
  allowCrossTypeComparisons(): void {
    this.crossTypeComparisons = true;
  }

  /** Returns all forms that fit the arguments; several if an argument is `dyn`. */
  matching(overloads: readonly Overload[], types: readonly (CelType | undefined)[], isMethod: boolean) {
    const ids: string[] = [];
    let result: CelType | undefined;
    if (types.includes(undefined)) return { ids, result };
    for (const overload of overloads) {
      if (overload.method !== isMethod || !this.#isAllowed(overload)) continue;
      const form = this.#instance(overload);
      if (!this.bindings.allAssignable(types as CelType[], form.params)) continue;
      ids.push(overload.id);
      const type = this.bindings.substitute(form.result);
      if (result === undefined) result = type;
      else if (!isDyn(result) && !sameType(type, result)) result = DYN;
    }
    return { ids, result };
  }

  /** Comparisons of different number types are refused, but through a bug of the reference only before a loop. */
  #isAllowed({ id, params: [a, b] }: Overload): boolean {
    if (this.crossTypeComparisons || !/^(less|greater)_/.test(id)) return true;
    if (a?.kind !== 'primitive' || b?.kind !== 'primitive' || a.name === b.name) return true;
    return !(NUMBERS.has(a.name) && NUMBERS.has(b.name));
  }

  /** Returns the form with fresh type parameters. */
  #instance(overload: Overload): { readonly params: readonly CelType[]; readonly result: CelType } {
    if (overload.typeParams.length === 0) return overload;
    const fresh = new TypeBindings();
    for (const name of overload.typeParams) fresh.bind(name, this.newParam());
    return {
      params: overload.params.map((param) => fresh.substitute(param)),
      result: fresh.substitute(overload.result),
    };
  }
}
