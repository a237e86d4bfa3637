import { findEmbeddedPostgres } from '@orch/storage/embedded';
import { descendants, tail } from '../../../tools/up/index.js';
import type { ApiList } from '../../support/api.js';
import { Random } from '../random.js';
import { sql } from '../stage/sql.js';
import { SmallDisk } from '../stage/tmpfs.js';
import { type StandaloneStage, type StandaloneUse, withStandalone } from '../stage/with-standalone.js';
import { controlled } from './controlled.js';
import { type Scenario, type ScenarioSettings, scaled } from './scenario.js';

const PATH = '/api/v1/namespaces/default/secrets';
const MEBIBYTES = 400;
const LARGE = Buffer.alloc(512 << 10, 'x').toString('base64');
/** Time for writes to go on, ms. */
const RECOVERY_MS = 10_000;

/** Possible states of PostgreSQL while its disk is full. */
const FULL = ['is ended', 'goes on', 'has no room for its log'] as const;

const PASS =
  'writes go on within 10 s without a hand, every acknowledged one is there, watches stay open; SIGTERM ends it in order';

export const embeddedKilled = embedded(
  { name: 'embedded-killed', fault: 'kill -9 of the PostgreSQL of orch standalone, again and again', pass: PASS },
  {},
  async (trial, settings) => {
    for (let i = 0; i < scaled(settings, 20, 3); i++) {
      process.kill(trial.stage.postmaster, 'SIGKILL');
      await trial.isAway();
      await trial.goesOn();
    }
  },
);

export const embeddedFull = embedded(
  {
    name: 'embedded-full',
    fault: 'the disk under the PostgreSQL of orch standalone is full for a while',
    pass: `refusals with 503 or 504 and Retry-After; after room is made ${PASS}`,
  },
  {},
  async (trial, settings, disk) => {
    for (let i = 0; i < scaled(settings, 5, 1); i++) {
      await trial.isRefused(() => disk?.fill());
      // There is room in the log of writes for a while: it ends once that is used up, or when it is asked to end.
      const end = FULL[i % FULL.length];
      if (end !== 'goes on') {
        if (end === 'is ended') process.kill(trial.stage.postmaster, 'SIGQUIT');
        else await trial.fillLog();
        await trial.isAway();
        await trial.isRefused(() => disk?.fill());
      }
      disk?.free();
      await trial.goesOn();
    }
  },
  true,
);

export const embeddedSlow = embedded(
  {
    name: 'embedded-slow',
    fault:
      'the PostgreSQL of orch standalone is asked to end and takes its time, as one of its processes is stopped; then it is killed with that process still stopped',
    pass: `no second one beside it; once it has ended ${PASS}`,
  },
  {},
  async (trial, settings) => {
    const { stage } = trial;
    for (let i = 0; i < scaled(settings, 5, 1); i++) {
      for (const end of ['by itself', 'killed'] as const) {
        const { postmaster } = stage;
        const stopped = stage.random.pick(descendants(postmaster));
        process.kill(stopped, 'SIGSTOP');
        process.kill(postmaster, 'SIGINT');
        await trial.isRefused(() => undefined);
        stage.must(
          'R.recovery',
          stage.postmaster === postmaster,
          'a second PostgreSQL runs beside one that has not ended',
        );
        if (end === 'killed') process.kill(postmaster, 'SIGKILL');
        else process.kill(stopped, 'SIGCONT');
        await trial.goesOn();
      }
    }
  },
);

/** The negative control. */
export const embeddedLeft = controlled(
  embedded(
    {
      name: 'embedded-left',
      fault: 'the same as embedded-killed with a server that does not start it again: the negative control',
      pass: 'R.recovery says so',
    },
    {
      mutations: [
        {
          module: 'libs/storage/dist/embedded/supervised-postgres.js',
          part: 'server = await this.#startAgain();',
          by: 'server = undefined;',
        },
      ],
    },
    async (trial) => {
      process.kill(trial.stage.postmaster, 'SIGKILL');
      await trial.isAway();
      await trial.goesOn();
    },
  ),
  'R.recovery',
);

/** A fault of the PostgreSQL of a standalone server, with what is written and watched meanwhile. */
function embedded(
  about: Omit<Scenario, 'run'>,
  use: StandaloneUse,
  act: (trial: Trial, settings: ScenarioSettings, disk: SmallDisk | undefined) => Promise<void>,
  onSmallDisk = false,
): Scenario {
  return {
    ...about,
    run: (settings) => {
      let disk: SmallDisk | undefined;
      const prepare = (path: string) => {
        const mounted = SmallDisk.mount(path, MEBIBYTES);
        disk = mounted;
        return () => mounted.unmount();
      };
      const { seed, log } = settings;
      const means = { random: new Random(seed), log };
      return withStandalone({ ...use, ...(onSmallDisk && { prepare }) }, means, async (stage) => {
        const trial = await Trial.begin(stage);
        await act(trial, settings, disk);
        await trial.end();
      });
    },
  };
}

/** Writes beside the faults, and judges what became of them. */
class Trial {
  readonly #acknowledged: string[] = [];
  /** Ends of PostgreSQL. */
  #noticed = 0;

  private constructor(
    readonly stage: StandaloneStage,
    private readonly watch: Awaited<ReturnType<StandaloneStage['api']['watch']>>,
  ) {}

  static async begin(stage: StandaloneStage): Promise<Trial> {
    const trial = new Trial(stage, await stage.api.watch(`${PATH}?watch=1`));
    await trial.goesOn();
    return trial;
  }

  /** Writes; whether that was acknowledged. */
  async write(data: Readonly<Record<string, string>> = {}): Promise<number> {
    const answer = await this.stage.api.post(PATH, { metadata: { generateName: 'embedded-' }, data });
    const { status, headers } = answer;
    if (status === 201) this.#acknowledged.push(answer.json().metadata.name);
    else {
      this.stage.must(
        'R.answer',
        status === 503 || status === 504,
        `a write was answered with ${status}: ${answer.text}`,
      );
      this.stage.must('R.answer', Number(headers['retry-after']) > 0, `${status} without Retry-After`);
    }
    return status;
  }

  /** Waits until the server has noticed that its PostgreSQL has ended: what is left of it may commit for a moment. */
  async isAway(): Promise<void> {
    await this.stage.recovers('the end is noticed', RECOVERY_MS, async () => {
      const ends = await this.#countEnds();
      const isNew = ends > this.#noticed;
      this.#noticed = Math.max(ends, this.#noticed);
      return isNew;
    });
  }

  async #countEnds(): Promise<number> {
    const { text } = await this.stage.api.get('/metrics');
    return Number(/^orch_embedded_postgres_ends_total (\d+)$/m.exec(text)?.[1]);
  }

  /** Writes until that is refused. */
  async isRefused(before: () => void): Promise<void> {
    await this.stage.recovers('writes are refused', 60_000, async () => {
      before();
      return (await this.write({ LARGE })) !== 201;
    });
  }

  /** Fills what PostgreSQL has set aside for its log, until it ends: it panics where it cannot go on with that. */
  async fillLog(): Promise<void> {
    const url = await findEmbeddedPostgres(this.stage.server.postgresDir);
    const filled = sql(
      url,
      "SELECT pg_logical_emit_message(false, 'filler', repeat('x', 1000000)) FROM generate_series(1, 1000)",
    );
    await filled.then(
      () => this.stage.must('R.recovery', false, 'the log of PostgreSQL was not filled'),
      () => undefined,
    );
  }

  async goesOn(): Promise<void> {
    await this.stage.recovers('writes go on', RECOVERY_MS, async () => (await this.write()) === 201);
  }

  async end(): Promise<void> {
    const { stage } = this;
    // Where writes do not go on nothing can be read either.
    if (stage.violations.length === 0) await this.#judge();
    const began = performance.now();
    await stage.server.process.stop();
    stage.measures['ms to end in order'] = Math.round(performance.now() - began);
    const { exitCode, logFile } = stage.server.process;
    stage.must('R.recovery', exitCode === 0, `it did not end in order:\n${tail(logFile)}`);
  }

  /** Nothing is lost, for those who list and for those who watch. */
  async #judge(): Promise<void> {
    const { stage, watch } = this;
    stage.must('R.stream', !watch.ended, 'a watch has ended');
    const listed = new Set((await stage.api.get(PATH)).json<ApiList>().items.map(nameOf));
    const lost = this.#acknowledged.filter((name) => !listed.has(name));
    stage.must('V3.lost', lost.length === 0, `acknowledged and lost: ${lost.join(', ')}`);
    const last = this.#acknowledged.at(-1);
    const seen = new Set(
      (await watch.until(({ object }) => object.metadata.name === last)).map(({ object }) => nameOf(object)),
    );
    const unseen = this.#acknowledged.filter((name) => !seen.has(name));
    stage.must('V2.missing', unseen.length === 0, `a watch has not seen ${unseen.join(', ')}`);
  }
}

const nameOf = ({ metadata }: { readonly metadata: { readonly name: string } }): string => metadata.name;
