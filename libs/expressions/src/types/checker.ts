import { type CallNode, type Expression, type Literal, qualifiedName } from '../syntax/ast.js';
import { Issues } from '../syntax/issues.js';
import { Operator } from '../syntax/operators.js';
import type { Parsed } from '../syntax/parser.js';
import { mostGeneral, TypeBindings } from './bindings.js';
import type { Declarations, Scope } from './declarations.js';
import { formatFault } from './format-check.js';
import { Overloads } from './overloads.js';
import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DYN,
  ERROR,
  formatCall,
  formatProto,
  formatType,
  INT,
  isDyn,
  isDynOrError,
  NULL,
  optionalOf,
  STRING,
  typeOf,
  UINT,
  valueOfOptional,
} from './type.js';

/** Result of the check for a node. */
type Reference =
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'type'; readonly name: string; readonly type: CelType }
  | {
      readonly kind: 'function';
      readonly name: string;
      readonly overloads: readonly string[];
      readonly global: boolean;
    };

/** An expression with known types. */
export interface Checked extends Parsed {
  /** Type of its value. */
  readonly type: CelType;
  /** Types by node. */
  readonly types: ReadonlyMap<number, CelType>;
  /** References of names, by node. */
  readonly references: ReadonlyMap<number, Reference>;
}

/** How literals of mixed types are checked: refused, as the reference is configured, or as `dyn`. */
export interface CheckOptions {
  /** Members of list and map literals must agree in type. */
  readonly homogeneousLiterals: boolean;
  /** Numbers of different types may be compared with `<` and its kin everywhere. */
  readonly crossTypeComparisons: boolean;
}

const LITERALS: Readonly<Record<Literal['type'], CelType>> = {
  null: NULL,
  bool: BOOL,
  int: INT,
  uint: UINT,
  double: DOUBLE,
  string: STRING,
  bytes: BYTES,
};

/** Finds the types of an expression and its parts (cel-go, checker/checker.go). @throws ExpressionError */
export function check(parsed: Parsed, declarations: Declarations, scope: Scope, options: CheckOptions): Checked {
  const issues = new Issues(parsed.source);
  const checker = new Checker(issues, declarations, scope, { ...options, shared: parsed.shared });
  checker.check(parsed.root);
  issues.throwIfAny();
  checker.checkFormats();
  issues.throwIfAny();
  return { ...parsed, ...checker.found(parsed.root) };
}

/** Variables of the loops around a node, innermost first. */
interface Local {
  readonly name: string;
  readonly type: CelType;
  readonly outer: Local | undefined;
}

class Checker {
  readonly #types = new Map<number, CelType>();
  readonly #references = new Map<number, Reference>();
  readonly #bindings = new TypeBindings();
  #locals: Local | undefined;
  #freeParams = 0;
  /** Calls of `format`, whose lists may have mixed types. */
  readonly #formats: CallNode[] = [];
  #openFormats = 0;
  readonly #overloads: Overloads;

  constructor(
    private readonly issues: Issues,
    private readonly declarations: Declarations,
    private readonly scope: Scope,
    private readonly options: CheckOptions & Pick<Parsed, 'shared'>,
  ) {
    this.#overloads = new Overloads(this.#bindings, () => this.#newParam(), options.crossTypeComparisons);
  }

  /** The types found, with parameters replaced. */
  found(root: Expression): {
    type: CelType;
    types: ReadonlyMap<number, CelType>;
    references: ReadonlyMap<number, Reference>;
  } {
    const types = new Map<number, CelType>();
    for (const [id, type] of this.#types) types.set(id, this.#bindings.substitute(type, true));
    return { type: types.get(root.id) ?? ERROR, types, references: this.#references };
  }

  /** Checks calls whose arguments a format text describes. */
  checkFormats(): void {
    for (const call of this.#formats) {
      const fault = formatFault(call, (node) => {
        const type = this.#typeOf(node);
        return type && this.#bindings.substitute(type, true);
      });
      if (fault) this.#fault(fault.node.offset, fault.message);
    }
  }

  check(node: Expression): void {
    // Nested macros would check it so often that the time doubles with each.
    if (this.options.shared.has(node.id) && this.#types.has(node.id)) return;
    switch (node.kind) {
      case 'literal':
        this.#setType(node, LITERALS[node.literal.type]);
        return;
      case 'ident':
        this.#ident(node, node.name);
        return;
      case 'select':
        this.#select(node);
        return;
      case 'call':
        this.#call(node);
        return;
      case 'list':
        this.#list(node);
        return;
      case 'map':
        this.#map(node);
        return;
      case 'message':
        this.#message(node);
        return;
      case 'comprehension':
        this.#comprehension(node);
        return;
    }
  }

  #ident(node: Expression, name: string): void {
    if (this.#named(node, name)) return;
    this.#setType(node, ERROR);
    this.#undeclared(node, name);
  }

  /** Resolves a node as a variable or a type name; false if it is neither. */
  #named(node: Expression, written: string): boolean {
    const name = written.replace(/^\./, '');
    const variable = this.#variable(name);
    if (variable !== undefined) {
      this.#setType(node, variable);
      this.#references.set(node.id, { kind: 'variable', name });
      return true;
    }
    const type = this.declarations.typeNames.get(name);
    if (type === undefined) return false;
    this.#setType(node, typeOf(type));
    this.#references.set(node.id, { kind: 'type', name, type });
    return true;
  }

  #variable(name: string): CelType | undefined {
    for (let local = this.#locals; local; local = local.outer) if (local.name === name) return local.type;
    return this.scope.variables.get(name);
  }

  #select(node: Extract<Expression, { kind: 'select' }>): void {
    const name = qualifiedName(node);
    if (name !== undefined && this.#named(node, name)) return;
    this.check(node.operand);
    const result = this.#selected(node.offset, node.operand, node.field, false);
    this.#setType(node, node.testOnly ? BOOL : this.#bindings.substitute(result));
  }

  /** `operand.?field`, whose field name the parser gives as a text. */
  #optionalSelect(node: CallNode): void {
    const [operand, field] = node.args as readonly [Expression, Expression];
    this.check(operand);
    this.check(field);
    const name = field.kind === 'literal' && field.literal.type === 'string' ? field.literal.value : '';
    this.#setType(node, this.#bindings.substitute(this.#selected(node.offset, operand, name, true)));
    this.#references.set(node.id, {
      kind: 'function',
      name: node.function,
      overloads: ['select_optional_field'],
      global: true,
    });
  }

  /** Returns the type of a field; an optional one if requested so, or if its object is optional. */
  #selected(offset: number, operand: Expression, field: string, isOptional: boolean): CelType {
    const target = this.#bindings.substitute(this.#typeOf(operand) ?? ERROR);
    const inner = valueOfOptional(target);
    const type = this.#fieldOf(offset, field, inner ?? target);
    return isOptional || inner ? optionalOf(type) : type;
  }

  #fieldOf(offset: number, field: string, target: CelType): CelType {
    if (target.kind === 'map') return target.value;
    if (target.kind === 'object') return this.#objectField(offset, target.name, field);
    if (target.kind === 'param') {
      this.#bindings.assignable(DYN, target);
      return DYN;
    }
    if (isDynOrError(target)) return DYN;
    this.#fault(offset, `type '${formatProto(target)}' does not support field selection`);
    return ERROR;
  }

  #objectField(offset: number, object: string, field: string): CelType {
    const type = this.scope.fieldType(object, field);
    if (type !== undefined) return type;
    const known = this.scope.hasType(object);
    this.#fault(
      offset,
      known ? `undefined field '${field}'` : `[internal] unexpected failed resolution of '${object}'`,
    );
    return ERROR;
  }

  #call(node: CallNode): void {
    if (node.function === Operator.optionalSelect) {
      this.#optionalSelect(node);
      return;
    }
    const isFormat = node.function === 'format' && this.declarations.functions.has('format');
    if (isFormat) {
      this.#formats.push(node);
      this.#openFormats++;
    }
    for (const arg of node.args) this.check(arg);
    this.#resolveCall(node);
    if (isFormat) this.#openFormats--;
  }

  #resolveCall(node: CallNode): void {
    const { target } = node;
    if (target === undefined) {
      this.#resolve(node, node.function.replace(/^\./, ''), undefined);
      return;
    }
    const prefix = qualifiedName(target);
    const namespaced = prefix === undefined ? undefined : `${prefix}.${node.function}`.replace(/^\./, '');
    if (namespaced !== undefined && this.declarations.functions.has(namespaced)) {
      this.#resolve(node, namespaced, undefined);
      return;
    }
    this.check(target);
    if (this.declarations.functions.has(node.function)) {
      this.#resolve(node, node.function, target);
      return;
    }
    // The node has no type then, which later messages show as `<nil>`.
    this.#undeclared(node, node.function);
  }

  #resolve(node: CallNode, name: string, target: Expression | undefined): void {
    const overloads = this.declarations.functions.get(name);
    if (overloads === undefined) {
      this.#undeclared(node, node.function);
      this.#setType(node, ERROR);
      return;
    }
    const args = target === undefined ? node.args : [target, ...node.args];
    const types = args.map((arg) => this.#typeOf(arg));
    const { ids, result } = this.#overloads.matching(overloads, types, target !== undefined);
    if (result === undefined) {
      const applied = formatCall(types, target !== undefined);
      this.#fault(node.offset, `found no matching overload for '${name}' applied to '${applied}'`);
      this.#setType(node, ERROR);
      return;
    }
    this.#setType(node, result);
    this.#references.set(node.id, { kind: 'function', name, overloads: ids, global: target === undefined });
  }

  #list(node: Extract<Expression, { kind: 'list' }>): void {
    let element: CelType | undefined;
    for (const [i, item] of node.elements.entries()) {
      this.check(item);
      element = this.#joined(item, this.#memberType(item, node.optional?.has(i) ?? false), element);
    }
    this.#setType(node, { kind: 'list', element: element ?? this.#newParam() });
  }

  #map(node: Extract<Expression, { kind: 'map' }>): void {
    let key: CelType | undefined;
    let value: CelType | undefined;
    for (const entry of node.entries) {
      this.check(entry.key);
      key = this.#joined(entry.key, this.#memberType(entry.key, false), key);
      this.check(entry.value);
      value = this.#joined(entry.value, this.#memberType(entry.value, entry.isOptional), value);
    }
    this.#setType(node, { kind: 'map', key: key ?? this.#newParam(), value: value ?? this.#newParam() });
  }

  /** Returns the type that a node contributes to a list or a map: of an optional member the type of its value. */
  #memberType(node: Expression, isOptional: boolean): CelType {
    const type = this.#typeOf(node) ?? ERROR;
    if (!isOptional) return type;
    const inner = valueOfOptional(type);
    if (!inner && !isDyn(type)) this.#mismatch(node.offset, optionalOf(type), type);
    return inner ?? type;
  }

  /** Returns the most general type of the previous ones and a node's. */
  #joined(node: Expression, type: CelType, before: CelType | undefined): CelType {
    if (before === undefined) return type;
    if (this.#bindings.assignable(before, type)) return mostGeneral(before, type);
    if (!this.options.homogeneousLiterals || this.#openFormats > 0) return DYN;
    this.#mismatch(node.offset, before, type);
    return ERROR;
  }

  #message(node: Extract<Expression, { kind: 'message' }>): void {
    for (const entry of node.entries) this.check(entry.value);
    const name = node.name.replace(/^\./, '');
    const type = this.declarations.typeNames.get(name);
    this.#setType(node, ERROR);
    if (type === undefined) {
      this.#undeclared(node, node.name);
      return;
    }
    this.#fault(node.offset, `'${formatType(type)}' is not a message type`);
  }

  #comprehension(node: Extract<Expression, { kind: 'comprehension' }>): void {
    this.check(node.range);
    this.check(node.initial);
    const accumulated = this.#typeOf(node.initial) ?? ERROR;
    const [place, element] = this.#elementOf(node.range, node.second !== undefined);
    const outer = this.#locals;
    const holding: Local = { name: node.accumulator, type: accumulated, outer };
    this.#locals = { name: node.variable, type: place ?? element, outer: holding };
    if (node.second !== undefined) this.#locals = { name: node.second, type: element, outer: this.#locals };
    this.#overloads.allowCrossTypeComparisons();
    this.check(node.condition);
    this.#assert(node.condition, BOOL);
    this.check(node.step);
    this.#assert(node.step, accumulated);
    this.#locals = holding;
    this.check(node.result);
    this.#locals = outer;
    this.#setType(node, this.#bindings.substitute(this.#typeOf(node.result) ?? ERROR));
  }

  /** Returns the types of a loop's variables; of the first only if there are two. */
  #elementOf(range: Expression, hasTwo: boolean): readonly [place: CelType | undefined, element: CelType] {
    const found = this.#typeOf(range);
    const type = found && this.#bindings.substitute(found);
    if (type?.kind === 'list') return [hasTwo ? INT : undefined, type.element];
    if (type?.kind === 'map') return hasTwo ? [type.key, type.value] : [undefined, type.key];
    if (type && (isDynOrError(type) || type.kind === 'param')) {
      this.#bindings.assignable(DYN, type);
      return [hasTwo ? DYN : undefined, DYN];
    }
    this.#fault(
      range.offset,
      `expression of type '${formatType(type)}' cannot be range of a comprehension (must be list, map, or dynamic)`,
    );
    return [hasTwo ? ERROR : undefined, ERROR];
  }

  #assert(node: Expression, type: CelType): void {
    const found = this.#typeOf(node) ?? ERROR;
    if (!this.#bindings.assignable(type, found)) this.#mismatch(node.offset, type, found);
  }

  #newParam(): CelType {
    return { kind: 'param', name: `_var${this.#freeParams++}` };
  }

  #typeOf(node: Expression): CelType | undefined {
    return this.#types.get(node.id);
  }

  #setType(node: Expression, type: CelType): void {
    this.#types.set(node.id, type);
  }

  #undeclared(node: Expression, name: string): void {
    this.#fault(node.offset, `undeclared reference to '${name}' (in container '')`);
  }

  #mismatch(offset: number, expected: CelType, found: CelType): void {
    this.#fault(offset, `expected type '${formatType(expected)}' but found '${formatType(found)}'`);
  }

  #fault(offset: number, message: string): void {
    this.issues.add(this.issues.source.checkedLocationOf(offset), message);
  }
}
