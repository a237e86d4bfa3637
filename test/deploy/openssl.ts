import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Files of a certificate and its key. */
export interface Made {
  readonly certFile: string;
  readonly keyFile: string;
  readonly cert: string;
  readonly key: string;
}

export interface Leaf {
  /** Subject, for example `/O=system:masters/CN=admin`. */
  readonly subject: string;
  readonly usage: 'serverAuth' | 'clientAuth';
  /** Subject alternative names, for example `DNS:localhost,IP:127.0.0.1`. */
  readonly hosts?: string;
  /** When it ends, milliseconds since the epoch, a whole second. Default: in a day. */
  readonly endsAt?: number;
}

/** Certificates as an operator's own authority makes them: openssl, RSA keys as well as elliptic curves. */
export class OpenSsl {
  #count = 0;

  constructor(private readonly dir: string) {}

  authority(name: string, days = 2): Made {
    const made = this.#files(name);
    const lasting = ['-days', String(days)];
    run('req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...this.#out(made), ...lasting, '-subj', `/CN=${name}`);
    return read(made);
  }

  /** A certificate signed by an authority, in files of that name, which are replaced when they are there. */
  leaf(name: string, by: Pick<Made, 'certFile' | 'keyFile'>, { subject, usage, hosts, endsAt }: Leaf): Made {
    const made = this.#files(name);
    const of = (suffix: string) => join(this.dir, `${name}-${this.#count}.${suffix}`);
    this.#count++;
    run('genpkey', '-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256', '-out', made.keyFile);
    run('req', '-new', '-key', made.keyFile, '-subj', subject, '-out', of('csr'));
    writeFileSync(of('index'), '');
    const sections = {
      ca: { default_ca: 'signing' },
      signing: {
        database: of('index'),
        new_certs_dir: this.dir,
        rand_serial: 'yes',
        default_md: 'sha256',
        policy: 'any',
        x509_extensions: 'leaf',
      },
      any: { commonName: 'supplied', organizationName: 'optional' },
      leaf: {
        basicConstraints: 'critical,CA:false',
        extendedKeyUsage: usage,
        ...(hosts !== undefined && { subjectAltName: hosts }),
      },
    };
    writeFileSync(of('cnf'), Object.entries(sections).map(section).join(''));
    const end = new Date(endsAt ?? Date.now() + 86_400_000);
    run(
      ...['ca', '-batch', '-notext', '-config', of('cnf'), '-cert', by.certFile, '-keyfile', by.keyFile],
      ...[
        '-in',
        of('csr'),
        '-out',
        made.certFile,
        '-startdate',
        asn1(new Date(Date.now() - 60_000)),
        '-enddate',
        asn1(end),
      ],
    );
    return read(made);
  }

  #files = (name: string) => ({ certFile: join(this.dir, `${name}.crt`), keyFile: join(this.dir, `${name}.key`) });

  #out = ({ certFile, keyFile }: { certFile: string; keyFile: string }) => ['-keyout', keyFile, '-out', certFile];
}

const read = ({ certFile, keyFile }: { certFile: string; keyFile: string }): Made => ({
  certFile,
  keyFile,
  cert: readFileSync(certFile, 'utf8'),
  key: readFileSync(keyFile, 'utf8'),
});

const section = ([name, values]: [string, Record<string, string>]): string =>
  `[${name}]\n${Object.entries(values)
    .map(([key, value]) => `${key} = ${value}\n`)
    .join('')}`;

/** GeneralizedTime, to the second. */
const asn1 = (date: Date): string => `${date.toISOString().replaceAll(/[-T:]|\.\d+Z/g, '')}Z`;

function run(...args: readonly string[]): void {
  execFileSync('openssl', args, { stdio: ['ignore', 'ignore', 'pipe'] });
}
