import type { ChangeEvent } from '../history/change-event.js';
import { AudienceIndex } from './audience-index.js';
import type { FrameEncoder } from './frames.js';
import { type Interest, interestKey, SharedInterest } from './interest.js';
import { Audience } from './watcher.js';

/** The current audiences: one is created with its first member and removed with its last. */
export class Audiences {
  readonly #byKey = new Map<string, Audience>();
  readonly #interests = new Map<string, SharedInterest>();
  readonly #index = new AudienceIndex<Audience>();

  /** @param gone is called with an audience whose last member has left */
  constructor(
    private readonly cohortSize: number,
    private readonly gone: (audience: Audience) => void,
  ) {}

  get size(): number {
    return this.#byKey.size;
  }

  /** Adds a member to the audience of an interest. */
  enter(interest: Interest, encoder: FrameEncoder): Audience {
    const ofInterest = interestKey(interest);
    const key = `${encoder.key} ${ofInterest}`;
    let audience = this.#byKey.get(key);
    if (audience === undefined) {
      const shared = this.#share(ofInterest, interest);
      shared.members++;
      audience = new Audience(key, shared, encoder, this.cohortSize);
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
    if (--audience.shared.members === 0) this.#interests.delete(audience.shared.key);
    this.#index.remove(audience);
    this.gone(audience);
  }

  #share(key: string, interest: Interest): SharedInterest {
    let shared = this.#interests.get(key);
    if (shared === undefined) {
      shared = new SharedInterest(key, interest);
      this.#interests.set(key, shared);
    }
    return shared;
  }

  /** Calls back once for each audience that an event may concern. */
  concernedBy(event: ChangeEvent, visit: (audience: Audience) => void): void {
    this.#index.forEach(event, visit);
  }
}
