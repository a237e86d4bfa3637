import { CLAUSES, type Clause, FormatError, interpolated, refusal } from '../libraries/formatting.js';
import type { CallNode, Expression } from '../syntax/ast.js';
import { nameOfType } from '../values/value.js';
import type { CelType } from './type.js';

/** A fault of a call of `format`, and the node to report it at. */
interface FormatFault {
  readonly node: Expression;
  readonly message: string;
}

/** Finds a fault in a call of `format` with literal format and arguments; undefined for all other calls. */
export function formatFault(
  call: CallNode,
  typeOf: (node: Expression) => CelType | undefined,
): FormatFault | undefined {
  const [list] = call.args;
  const { target } = call;
  if (target?.kind !== 'literal' || target.literal.type !== 'string' || list?.kind !== 'list') return undefined;
  let asked = 0;
  let misfit: FormatFault | undefined;
  const check = (place: number, { letter }: Clause): string => {
    asked++;
    const argument = list.elements[place];
    if (!argument) throw new FormatError(`index ${place} out of range`);
    misfit = misfitOf(letter, argument, typeOf);
    if (misfit) throw new FormatError(misfit.message);
    return '';
  };
  try {
    interpolated(target.literal.value, check);
  } catch (error) {
    if (error instanceof FormatError) return misfit ?? { node: call, message: error.message };
    throw error;
  }
  const { length } = list.elements;
  if (length <= asked) return undefined;
  return { node: call, message: `too many arguments supplied to string.format (expected ${asked}, got ${length})` };
}

/** Returns the part of an argument that a clause cannot format. */
function misfitOf(
  letter: Clause['letter'],
  node: Expression,
  typeOf: (node: Expression) => CelType | undefined,
): FormatFault | undefined {
  const type = typeOf(node);
  const name = type && nameOfType(type);
  if (name !== undefined && !CLAUSES[letter].types.includes(name)) return { node, message: refusal(letter, name) };
  if (letter !== 's') return undefined;
  const parts =
    node.kind === 'list'
      ? node.elements
      : node.kind === 'map'
        ? node.entries.flatMap(({ key, value }) => [key, value])
        : [];
  for (const part of parts) {
    const misfit = misfitOf(letter, part, typeOf);
    if (misfit) return misfit;
  }
  return undefined;
}
