import type { Wire } from './samples.js';
import type { Target } from './target.js';

/** The settings of a stage. */
export interface StageSettings {
  readonly target: Target;
  /** Names its objects, so that no two runs meet. */
  readonly run: string;
  /** Length of each measurement. */
  readonly seconds: number;
  /** Watchers of the fan-out. */
  readonly watchers: number;
  /** Writes per second that count as little load. */
  readonly rate: number;
  /** Share of the usual sizes of the stages that have to be named; 1 is those. */
  readonly scale: number;
  /** Rounds of stages that measure in turns as often as they are told. */
  readonly rounds: number;
  /** Forms of the bodies of writes. */
  readonly wires: readonly Wire[];
  /** The sizes that take many minutes as well. */
  readonly full: boolean;
}
