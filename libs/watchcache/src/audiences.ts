import { Audience } from './audience.js';
import { AudienceIndex } from './audience-index.js';
import type { FrameEncoder } from './frames.js';
import type { Interest } from './interest.js';
import type { ChangeEvent } from './ring.js';

/** The audiences there are: one appears with its first member and goes with its last. */
export class Audiences {
  readonly #byKey = new Map<string, Audience>();
  readonly #index = new AudienceIndex();

  /** @param gone is told of an audience whose last member has left */
  constructor(
    private readonly cohortSize: number,
    private readonly gone: (audience: Audience) => void,
  ) {}

  get size(): number {
    return this.#byKey.size;
  }

  /** One member more for the audience of an interest. */
  enter(interest: Interest, encoder: FrameEncoder): Audience {
    const key = Audience.keyOf(interest, encoder);
    let audience = this.#byKey.get(key);
    if (audience === undefined) {
      audience = new Audience(key, interest, encoder, this.cohortSize);
      this.#byKey.set(key, audience);
      this.#index.add(audience);
    }
    audience.members++;
    return audience;
  }

  leave(audience: Audience): void {
    audience.members--;
    if (audience.members > 0) return;
    this.#byKey.delete(audience.key);
    this.#index.remove(audience);
    this.gone(audience);
  }

  /** Calls back once for every audience that an event may concern. */
  concernedBy(event: ChangeEvent, visit: (audience: Audience) => void): void {
    this.#index.forEach(event, visit);
  }
}
