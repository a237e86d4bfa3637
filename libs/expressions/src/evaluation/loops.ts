import { AppendableList } from '../values/lists.js';
import { Dictionary, failureOr, List, typeNameOf, type Value } from '../values/value.js';
import type { Run, Step } from './run.js';

/** A comprehension, ready to run; the numbers are places of its variables. */
export interface Loop {
  readonly range: Step;
  readonly initial: Step;
  readonly condition: Step;
  readonly step: Step;
  readonly result: Step;
  readonly accumulator: number;
  readonly variable: number;
}

/** Names of types in the language of the reference, which one message shows. */
const NATIVE: Readonly<Record<string, string>> = {
  bool: 'Bool',
  int: 'Int',
  uint: 'Uint',
  double: 'Double',
  string: 'String',
  bytes: 'Bytes',
  null_type: 'Null',
  'google.protobuf.Timestamp': 'Timestamp',
  'google.protobuf.Duration': 'Duration',
};

/** Runs a comprehension: over the elements of a list or the keys of a map. */
export function looping(loop: Loop): Step {
  return (run) => {
    const range = loop.range(run);
    if (!(range instanceof List || range instanceof Dictionary))
      return failureOr(range, `got 'types.${NATIVE[typeNameOf(range)] ?? typeNameOf(range)}', expected iterable type`);
    const initial = loop.initial(run);
    run.locals[loop.accumulator] = initial instanceof List && initial.size === 0 ? new AppendableList() : initial;
    if (range instanceof List) overList(loop, run, range);
    else overKeys(loop, run, range.keys());
    return loop.result(run);
  };
}

function overList(loop: Loop, run: Run, list: List): void {
  for (let i = 0; i < list.size; i++) if (!iterate(loop, run, list.at(i))) return;
}

function overKeys(loop: Loop, run: Run, keys: readonly Value[]): void {
  for (const key of keys) if (!iterate(loop, run, key)) return;
}

/** One round; false where the loop ends. */
function iterate(loop: Loop, run: Run, element: Value): boolean {
  run.locals[loop.variable] = element;
  if (loop.condition(run) === false) return false;
  run.locals[loop.accumulator] = loop.step(run);
  return true;
}
