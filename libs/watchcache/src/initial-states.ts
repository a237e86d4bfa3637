import type { Clock } from '@orch/runtime/clock';
import type { Version } from '@orch/storage';
import type { Audience } from './audience.js';
import type { WatchedState } from './fan-out-model.js';
import { InitialState } from './initial-state.js';

/** Hands initial states out, one to as many watchers of an audience as can use it. */
export class InitialStates {
  /** Times that one was made, and that one was handed out. */
  readonly counts = { initialStates: 0, initialWatches: 0 };

  /** @param shared milliseconds for which one is handed to further watchers though the state has moved on */
  constructor(
    private readonly state: WatchedState,
    private readonly clock: Clock,
    private readonly shared: number,
  ) {}

  take(audience: Audience, notOlderThan: Version): InitialState {
    const { ring, version } = this.state;
    this.counts.initialWatches++;
    const made = audience.initial;
    if (made !== undefined && made.version >= notOlderThan && made.cursor >= ring.first) {
      if ((made.whole && made.version === version) || this.clock.now() - made.madeAt <= this.shared) return made;
    }
    const entries = this.state.collect(audience.interest);
    this.counts.initialStates++;
    audience.initial = new InitialState(version, ring.next, this.clock.now(), entries, audience.encoder);
    return audience.initial;
  }

  /** A reader has left. One that nobody reads is kept a little for those who may come, then dropped with its bytes. */
  release(audience: Audience, initial: InitialState): void {
    initial.readers--;
    if (initial.readers > 0 || audience.initial !== initial) return;
    this.clock.after(this.shared, () => {
      if (initial.readers === 0 && audience.initial === initial) audience.initial = undefined;
    });
  }
}
