import { AppendableList } from '../values/lists.js';
import { GrowingMap } from '../values/maps.js';
import { Dictionary, failureOr, List, typeNameOf, type Value } from '../values/value.js';
import type { EvalStep, Run } from './run.js';

/** A comprehension, ready to run; the numbers are slots of its variables. */
interface Loop {
  readonly range: EvalStep;
  readonly initial: EvalStep;
  readonly condition: EvalStep;
  readonly step: EvalStep;
  readonly result: EvalStep;
  readonly accumulator: number;
  readonly variable: number;
  /** Variable of the element, if the first variable is its index or key. */
  readonly second: number | undefined;
}

/** Names of types in Go, which one message shows. */
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
export function looping(loop: Loop): EvalStep {
  return (run) => {
    const range = loop.range(run);
    if (!(range instanceof List || range instanceof Dictionary))
      return failureOr(range, `got 'types.${NATIVE[typeNameOf(range)] ?? typeNameOf(range)}', expected iterable type`);
    const initial = loop.initial(run);
    run.locals[loop.accumulator] = gathered(initial);
    if (range instanceof List) overList(loop, run, range);
    else overMap(loop, run, range);
    return loop.result(run);
  };
}

/** Initial value of a loop, in the form that grows without being copied. */
function gathered(initial: Value): Value {
  if (initial instanceof List && initial.size === 0) return new AppendableList();
  return initial instanceof Dictionary && initial.size === 0 ? new GrowingMap() : initial;
}

function overList(loop: Loop, run: Run, list: List): void {
  for (let i = 0; i < list.size; i++) if (!iterate(loop, run, BigInt(i), list.at(i))) return;
}

function overMap(loop: Loop, run: Run, map: Dictionary): void {
  for (const key of map.keys())
    if (!iterate(loop, run, key, loop.second === undefined ? key : (map.find(key) as Value))) return;
}

/** Runs an iteration; false ends the loop. @param key of a list its index */
function iterate(loop: Loop, run: Run, key: Value, element: Value): boolean {
  if (loop.second === undefined) run.locals[loop.variable] = element;
  else {
    run.locals[loop.variable] = key;
    run.locals[loop.second] = element;
  }
  if (loop.condition(run) === false) return false;
  run.locals[loop.accumulator] = loop.step(run);
  return true;
}
