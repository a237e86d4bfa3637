import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ServedApi } from '@orch/apiserver';
import { issueClientCertificate } from '@orch/authentication';
import type { Connection } from '@orch/client';
import { type Clock, systemClock } from '@orch/runtime';

/** Milliseconds that a certificate lives, and after which it is renewed. */
const [LIFETIME_MS, RENEWAL_MS] = [365 * 86_400_000, 292 * 86_400_000];
/** Milliseconds between looks at the clock, which may be set. */
const LOOK_MS = 3_600_000;

/** Identity of a component of this process towards the API. */
interface ComponentUser {
  /** Name of the user. */
  readonly name: string;
  /** Its groups. */
  readonly groups: readonly string[];
}

/** A connection of a component. */
interface ComponentConnection {
  /** The connection; it follows the file of its certificate. */
  readonly connection: Connection;
  /** Ends the renewal. Resolves when none is under way any more. */
  stop(): Promise<void>;
}

/** The API of the process, as far as a component needs to know it. */
type ReachedApi = Pick<ServedApi, 'url' | 'authority' | 'logger'>;

/**
 * Returns how a component beside the API reaches it: as a client with a certificate of its own, so that it has the rights of its user
 * and no others. The certificate is made anew at each start, and renewed while the process runs.
 * @param certDir folder with the authority of the process, and of the certificate
 */
export async function connectionOf(
  user: ComponentUser,
  certDir: string,
  api: ReachedApi,
  clock: Clock = systemClock,
): Promise<ComponentConnection> {
  const file = join(certDir, 'components', `${user.name.replaceAll(/[^\w.-]/g, '-')}.pem`);
  const renewal = new Renewal(() => issue(user, certDir, file, clock), api, clock);
  await renewal.start();
  const ca = api.authority();
  const connection = { server: api.url(), ...(ca !== undefined && { ca }), certFile: file, keyFile: file };
  return { connection, stop: () => renewal.stop() };
}

/** Writes a certificate with its key, as a whole, for the user of the process alone. */
async function issue(user: ComponentUser, certDir: string, file: string, clock: Clock): Promise<void> {
  const [cert = '', key = ''] = await Promise.all(
    ['ca.crt', 'ca.key'].map((name) => readFile(join(certDir, name), 'utf8')),
  );
  const pair = await issueClientCertificate({ cert, key }, user, LIFETIME_MS, clock.wall());
  await mkdir(join(certDir, 'components'), { recursive: true, mode: 0o700 });
  await writeFile(`${file}.new`, `${pair.cert.trimEnd()}\n${pair.key}`, { mode: 0o600 });
  await rename(`${file}.new`, file);
}

/** Issues a certificate, and again when most of its life is over. */
class Renewal {
  #cancel: () => void = () => undefined;
  #running: Promise<void> = Promise.resolve();
  #dueAt = 0;
  #isStopped = false;

  constructor(
    private readonly issue: () => Promise<void>,
    private readonly api: ReachedApi,
    private readonly clock: Clock,
  ) {}

  /** Issues the first one. @throws Error where it cannot be made */
  async start(): Promise<void> {
    await this.#renew();
    this.#wait();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel();
    await this.#running;
  }

  #wait(): void {
    if (this.#isStopped) return;
    this.#cancel = this.clock.after(LOOK_MS, () => {
      this.#running = this.#look().finally(() => this.#wait());
    });
  }

  async #look(): Promise<void> {
    if (this.clock.wall() < this.#dueAt) return;
    try {
      await this.#renew();
    } catch (error) {
      this.api.logger.warn('the certificate of a component cannot be renewed yet', { err: String(error) });
    }
  }

  async #renew(): Promise<void> {
    await this.issue();
    this.#dueAt = this.clock.wall() + RENEWAL_MS;
  }
}
