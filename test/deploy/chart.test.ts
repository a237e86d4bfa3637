import { spawnSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { anyPlaces, permissionsOf } from '@orch/feed';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { EXECUTABLE, ORCHCTL } from '../../tools/up/index.js';
import { CHART, DEPLOY, helm, helmOk, type Manifest, render, runHelm } from './helm.js';
import { StrictTypes } from './strict-types/strict-types.js';

const SIZES = ['values', 'values-small', 'values-large'] as const;
/** Turns on everything that is off by default. */
const ALL = [
  '--set=postgres.bundled.enabled=true,auth.tokenSecret=tokens,auth.clientCaSecret=client-ca',
  '--set=auth.serviceAccountKeySecret=sa-keys,auth.clusterSigningSecret=signing',
  '--set=apiServer.autoscaling.enabled=true,gateway.autoscaling.watchersPerPod=5000,postgres.caSecret=pg-ca',
  '--set=monitoring.podMonitor.enabled=true,monitoring.podMonitor.tokenSecret=metrics,image.pullSecrets={pull}',
  '--set=nats.urlSecret=nats,nats.bundled.enabled=false,nats.auth.secret=nats-auth,nats.auth.by=password',
  '--set=nats.tls.secret=nats-tls,nats.tls.clientCertificate=true',
  '--set=monitoring.probe.enabled=true,monitoring.probe.prober=blackbox:9115',
  '--set=scheduler.enabled=true',
  '--set-string=scheduler.config=a: b,monitoring.rules=groups: []',
  '--set-string=monitoring.dashboards.orch=\\{\\}',
];
/** Identities with no more rights than each process needs, and everything recorded. */
const LEAST = [
  '--set=postgres.migratorUrlKey=migrator,postgres.apiServerUrlKey=api-server,postgres.gatewayUrlKey=gateway',
  '--set=nats.auth.secret=nats-auth,nats.auth.gatewaySecret=nats-gateway',
  '--set=audit.log.enabled=true,audit.postgres.enabled=true,audit.webhook.secret=audit-webhook',
  `--set-file=audit.policy=${join(DEPLOY, 'audit', 'policy.yaml')}`,
];
/** Kinds of other projects, which only an option brings. */
const FOREIGN = ['cert-manager.io/v1', 'monitoring.coreos.com/v1'];

let strictTypes: StrictTypes;
beforeAll(() => {
  helm();
  strictTypes = new StrictTypes();
}, 600_000);
afterAll(() => strictTypes?.close());

const workloads = (objects: readonly Manifest[]) =>
  objects.filter(({ kind }) => kind === 'Deployment' || kind === 'StatefulSet');
const containers = (object: Manifest) => object.spec.template.spec.containers;
const named = (objects: readonly Manifest[], kind: string, name: string) =>
  objects.find((object) => object.kind === kind && object.metadata.name === name);

describe.each([...SIZES.map((values) => [values, []] as const), ['values', ALL] as const, ['values', LEAST] as const])(
  'the chart with %s %j',
  (values, more) => {
    let objects: Manifest[];
    let text: string;
    beforeAll(() => {
      ({ objects, text } = render(values, ...more));
    });

    test('has no field that the types of release 1.27 do not have, and none twice', () => {
      const documents = text.split(/^---$/m).filter((document) => /^kind:/m.test(document));
      const own = documents.filter(
        (document) => !FOREIGN.some((version) => document.includes(`apiVersion: ${version}`)),
      );
      expect(own.length).toBeGreaterThan(15);
      expect(strictTypes.count(own.join('\n---\n'))).toBe(own.length);
    });

    test('keeps pods apart on nodes of no zone too', () => {
      const tiers = workloads(objects).filter(({ metadata }) => !metadata.name.endsWith('-postgres'));
      expect(tiers.length).toBeGreaterThan(1);
      for (const { metadata, spec } of tiers) {
        const { topologySpreadConstraints = [], affinity } = spec.template.spec;
        const keys = (when: string) =>
          topologySpreadConstraints
            .filter(({ whenUnsatisfiable }: { whenUnsatisfiable: string }) => whenUnsatisfiable === when)
            .map(({ topologyKey }: { topologyKey: string }) => topologyKey);
        // The scheduler scores no node that lacks the label of one of the keys that are asked for.
        expect(keys('ScheduleAnyway'), metadata.name).toEqual(['kubernetes.io/hostname']);
        const [preferred] = affinity?.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution ?? [];
        const zones = [...keys('DoNotSchedule'), preferred?.podAffinityTerm.topologyKey];
        expect(zones.filter(Boolean), metadata.name).toEqual(['topology.kubernetes.io/zone']);
        for (const { labelSelector } of [
          ...topologySpreadConstraints,
          ...(preferred ? [preferred.podAffinityTerm] : []),
        ])
          expect(labelSelector.matchLabels).toEqual(spec.selector.matchLabels);
      }
    });

    test('passes helm lint, strictly', () => {
      helmOk(['lint', CHART, '--strict', '--kube-version=1.27', `--values=${CHART}/${values}.yaml`, ...more]);
    });

    test('gives servers only options that they have, with values that they take', () => {
      for (const role of ['api-server', 'watch-gateway']) {
        const [container] = containers(named(objects, 'Deployment', `orch-${role}`) as Manifest);
        expect(container.args[0]).toBe(role);
        // All problems are told at once, so one that is made on purpose is the only one.
        const names = (container.env as { name: string }[]).map(({ name }) => name);
        const env = Object.fromEntries(names.map((name) => [name, 'secret']));
        const args = [EXECUTABLE, ...container.args, '--none-such'];
        const { stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', env });
        expect(stderr).toBe('Error: unknown flag: --none-such\n');
      }
    });

    test('hands secrets over by the environment alone, each by the name of an option', () => {
      for (const role of ['api-server', 'watch-gateway']) {
        const [container] = containers(named(objects, 'Deployment', `orch-${role}`) as Manifest);
        expect(container.args.filter((text: string) => /\$\(|postgres-url/.test(text))).toEqual([]);
        const { stdout } = spawnSync(process.execPath, [EXECUTABLE, role, '--help'], { encoding: 'utf8', env: {} });
        for (const { name } of container.env)
          expect(stdout).toContain(`--${name.replace('ORCH_', '').toLowerCase().replaceAll('_', '-')} `);
      }
    });

    test("mounts no authority's key into any pod", () => {
      for (const workload of workloads(objects))
        for (const volume of workload.spec.template.spec.volumes ?? [])
          expect(JSON.stringify(volume)).not.toMatch(/ca\.key|-pki"|orch-(front-proxy-)?ca"/);
    });

    test('runs every container without root, capabilities or a writable image', () => {
      for (const workload of workloads(objects)) {
        const { spec } = workload.spec.template;
        expect(spec.automountServiceAccountToken).toBe(false);
        expect(spec.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
        expect(spec.securityContext.runAsUser).toBeGreaterThan(0);
        for (const container of containers(workload)) {
          expect(container.securityContext).toEqual({
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          });
          expect(Object.keys(container.resources)).toEqual(expect.arrayContaining(['requests', 'limits']));
          expect(container.readinessProbe).toBeDefined();
        }
      }
    });

    test('gives pods time to drain before they are killed', () => {
      for (const role of ['api-server', 'watch-gateway']) {
        const deployment = named(objects, 'Deployment', `orch-${role}`) as Manifest;
        const seconds = (option: string) =>
          Number(/=(\d+)s$/.exec(containers(deployment)[0].args.find((text: string) => text.startsWith(option)))?.[1]);
        const { terminationGracePeriodSeconds } = deployment.spec.template.spec;
        expect(terminationGracePeriodSeconds).toBeGreaterThan(
          seconds('--shutdown-delay-duration') + seconds('--shutdown-drain-duration') + 2,
        );
        expect(deployment.spec.strategy.rollingUpdate).toEqual({ maxSurge: 1, maxUnavailable: 0 });
      }
    });

    test('selects with every Service, budget and policy the pods of exactly one workload', () => {
      const pods = workloads(objects).map(({ spec }) => spec.template.metadata.labels);
      const matching = (selector: Record<string, string>) =>
        pods.filter((labels) => Object.entries(selector).every(([key, value]) => labels[key] === value)).length;
      for (const { kind, metadata, spec } of objects) {
        const selector = kind === 'Service' ? spec.selector : (spec?.podSelector ?? spec?.selector)?.matchLabels;
        if (selector && !FOREIGN.includes(metadata.name) && kind !== 'PodMonitor')
          expect(matching(selector), `${kind} ${metadata.name}`).toBe(1);
        for (const rule of [...(spec?.ingress ?? []), ...(spec?.egress ?? [])])
          for (const peer of [...(rule.from ?? []), ...(rule.to ?? [])])
            if (peer.podSelector) expect(matching(peer.podSelector.matchLabels), metadata.name).toBe(1);
      }
    });

    test('names only ConfigMaps, Secrets and accounts that are made here or that the values name', () => {
      const made = (kind: string) =>
        objects.filter((object) => object.kind === kind).map(({ metadata }) => metadata.name);
      const issued = objects.filter(({ kind }) => kind === 'Certificate').map(({ spec }) => spec.secretName);
      const given = [
        'nats',
        'orch-postgres',
        'orch-postgres-ca',
        'orch-nats',
        'orch-nats-tls',
        'nats-auth',
        'nats-gateway',
        'audit-webhook',
        'nats-tls',
        'tokens',
        'client-ca',
        'sa-keys',
        'signing',
        'pg-ca',
        'pull',
        'metrics',
      ];
      const secrets = [...made('Secret'), ...issued, ...given];
      for (const workload of workloads(objects)) {
        const { spec } = workload.spec.template;
        if (spec.serviceAccountName) expect(made('ServiceAccount')).toContain(spec.serviceAccountName);
        for (const volume of spec.volumes ?? []) {
          if (volume.configMap) expect(made('ConfigMap')).toContain(volume.configMap.name);
          if (volume.secret) expect(secrets).toContain(volume.secret.secretName);
          for (const { secret } of volume.projected?.sources ?? []) expect(secrets).toContain(secret.name);
        }
        const volumes = [...(spec.volumes ?? []), ...(workload.spec.volumeClaimTemplates ?? [])];
        const names = volumes.map((volume) => volume.name ?? volume.metadata.name);
        for (const container of containers(workload)) {
          for (const { name } of container.volumeMounts ?? []) expect(names).toContain(name);
          for (const { valueFrom } of container.env ?? [])
            if (valueFrom?.secretKeyRef) expect(secrets).toContain(valueFrom.secretKeyRef.name);
        }
      }
    });

    test('sets no number of pods where an autoscaler does', () => {
      for (const { spec } of objects.filter(({ kind }) => kind === 'HorizontalPodAutoscaler')) {
        expect(named(objects, 'Deployment', spec.scaleTargetRef.name)?.spec).not.toHaveProperty('replicas');
      }
    });
  },
);

describe('the chart', () => {
  test('needs no kinds of other projects unless asked to', () => {
    for (const values of ['values', 'values-small'] as const) {
      for (const { apiVersion } of render(values).objects) expect(FOREIGN).not.toContain(apiVersion);
    }
    const { objects } = render('values-large');
    expect(new Set(objects.map(({ apiVersion }) => apiVersion))).toEqual(expect.objectContaining(new Set(FOREIGN)));
  });

  test('gives a bundled NATS memory for its stream, and the password that servers show it', () => {
    const { objects } = render('values', '--set=nats.auth.secret=nats-password');
    const { data } = named(objects, 'ConfigMap', 'orch-nats') as Manifest;
    expect(data['nats.conf']).toContain('max_mem: 256MB');
    expect(data['nats.conf']).toContain('authorization { user: "orch", password: $NATS_PASSWORD }');
    const [nats] = containers(named(objects, 'StatefulSet', 'orch-nats') as Manifest);
    expect(nats.env).toContainEqual({
      name: 'NATS_PASSWORD_TEXT',
      valueFrom: { secretKeyRef: { name: 'nats-password', key: 'password' } },
    });
    for (const role of ['api-server', 'watch-gateway']) {
      const [{ args, volumeMounts }] = containers(named(objects, 'Deployment', `orch-${role}`) as Manifest);
      expect(args).toContain('--nats-user=orch');
      expect(args).toContain('--nats-password-file=/etc/orch/nats-auth/password');
      expect(volumeMounts).toContainEqual({ name: 'nats-auth', mountPath: '/etc/orch/nats-auth', readOnly: true });
    }
    const other = render(
      'values',
      '--set=nats.auth.secret=s,nats.auth.by=credentials,nats.bundled.enabled=false',
    ).objects;
    const [{ args }] = containers(named(other, 'Deployment', 'orch-api-server') as Manifest);
    expect(args).toContain('--nats-credentials-file=/etc/orch/nats-auth/user.creds');
  });

  test('gives each process an identity of its own, and migrates before it with another', () => {
    const { objects, text } = render('values', ...LEAST);
    const urlKey = (role: string) =>
      containers(named(objects, 'Deployment', `orch-${role}`) as Manifest)[0].env[0].valueFrom.secretKeyRef.key;
    expect([urlKey('api-server'), urlKey('watch-gateway')]).toEqual(['api-server', 'gateway']);
    for (const role of ['api-server', 'watch-gateway']) {
      const [{ args }] = containers(named(objects, 'Deployment', `orch-${role}`) as Manifest);
      expect(args).toContain('--migrate=false');
      expect(args).toContain(`--nats-user=${role === 'api-server' ? 'orch' : 'orch_gateway'}`);
    }
    const job = named(objects, 'Job', 'orch-migration') as Manifest;
    expect(job.metadata).toMatchObject({ annotations: { 'helm.sh/hook': 'pre-install,pre-upgrade' } });
    // A migration that is ended begins anew.
    expect(job.spec.activeDeadlineSeconds).toBe(3600);
    const [{ command, args, env }] = containers(job);
    expect(env[0].valueFrom.secretKeyRef).toEqual({ name: 'orch-postgres', key: 'migrator' });
    expect(command).toEqual(['node', '/app/bin/orchctl.js']);
    const orchctl = [ORCHCTL, ...args, '--none-such'];
    const { stderr } = spawnSync(process.execPath, orchctl, { encoding: 'utf8', env: { ORCH_POSTGRES_URL: 'x' } });
    expect(stderr).toBe('Error: unknown flag: --none-such\n');
    expect(text).not.toContain('--postgres-url');
    // Without: servers migrate, as one role.
    const plain = render('values').objects;
    expect(plain.some(({ kind }) => kind === 'Job')).toBe(false);
    expect(containers(named(plain, 'Deployment', 'orch-api-server') as Manifest)[0].args).not.toContain(
      '--migrate=false',
    );
  });

  test('lets users of a bundled NATS do what orchctl nats users prints', () => {
    const { objects } = render('values', ...LEAST);
    const { data } = named(objects, 'ConfigMap', 'orch-nats') as Manifest;
    const allowed = [...data['nats.conf'].matchAll(/allow: (\[.*\])/g)].map(([, list]) => JSON.parse(list).sort());
    const [server, gateway] = (['api-server', 'gateway'] as const).map((user) =>
      permissionsOf(user, anyPlaces('orch')),
    );
    expect(allowed).toEqual(
      [server?.publish, server?.subscribe, gateway?.publish, gateway?.subscribe].map((list) =>
        [...(list ?? [])].sort(),
      ),
    );
  });

  test('hands the audit policy over as it is, and restarts pods when it changes', () => {
    const { objects } = render('values', ...LEAST);
    const policy = readFileSync(join(DEPLOY, 'audit', 'policy.yaml'), 'utf8');
    expect(named(objects, 'ConfigMap', 'orch-audit')?.data['policy.yaml']).toBe(policy);
    const checksum = (more: readonly string[]) =>
      named(render('values', ...more).objects, 'Deployment', 'orch-api-server')?.spec.template.metadata.annotations;
    expect(checksum(LEAST)).not.toEqual(checksum(['--set-string=audit.policy=rules: []']));
  });

  test('shows gateways the keys that judge tokens, and api-servers alone the one that signs', () => {
    const { objects } = render('values', '--set=auth.serviceAccountKeySecret=sa-keys');
    const filesOf = (role: string) => {
      const workload = named(objects, 'Deployment', `orch-${role}`) as Manifest;
      const volumes = workload.spec.template.spec.volumes as { name: string; secret?: { items: { key: string }[] } }[];
      const files = volumes.find(({ name }) => name === 'service-accounts')?.secret?.items.map(({ key }) => key);
      const signs = containers(workload)[0].args.some((arg: string) => arg.includes('signing-key'));
      return [files, signs];
    };
    expect(filesOf('api-server')).toEqual([['sa.pub', 'sa.key'], true]);
    expect(filesOf('watch-gateway')).toEqual([['sa.pub'], false]);
  });

  test('lets api-servers alone sign certificates, and every server believe them', () => {
    const { objects } = render('values', '--set=auth.clusterSigningSecret=signing');
    const filesOf = (role: string) => {
      const workload = named(objects, 'Deployment', `orch-${role}`) as Manifest;
      const volumes = workload.spec.template.spec.volumes as { name: string; secret?: { items: { key: string }[] } }[];
      const files = volumes.find(({ name }) => name === 'cluster-signing')?.secret?.items.map(({ key }) => key);
      const args = (containers(workload)[0].args as string[]).filter((arg) => arg.startsWith('--cluster-signing'));
      return [files, args.length];
    };
    expect(filesOf('api-server')).toEqual([['tls.crt', 'tls.key'], 2]);
    expect(filesOf('watch-gateway')).toEqual([['tls.crt'], 1]);
  });

  const NO_PAIR = ['pki.mode=secret', 'pki.secretName=servers', 'loadBalancer.secretName=balancer'];
  const FILES = ['/etc/orch/pki/kubelet-client.crt', '/etc/orch/pki/kubelet-client.key'];
  test.each([
    [
      'that it makes',
      ['pki.mode=generate'],
      { name: 'orch-servers', items: ['kubelet-client.crt', 'kubelet-client.key'] },
    ],
    ['of cert-manager', ['pki.mode=certManager'], { name: 'orch-kubelet-client', items: ['tls.crt', 'tls.key'] }],
    ['of yours', ['kubelets.clientSecret=mine', ...NO_PAIR], { name: 'mine', items: ['tls.crt', 'tls.key'] }],
    ['of none', NO_PAIR, undefined],
  ])('shows kubelets a pair %s', (_, set, pair) => {
    const { objects } = render('values', `--set=${set.join(',')}`);
    for (const role of ['api-server', 'watch-gateway']) {
      const workload = named(objects, 'Deployment', `orch-${role}`) as Manifest;
      const pki = (workload.spec.template.spec.volumes as Manifest[]).find(({ name }) => name === 'pki') as Manifest;
      const sources = (pki.projected.sources as Manifest[]).map(({ secret }) => ({
        name: secret.name,
        items: (secret.items as { key: string; path: string }[])
          .filter(({ path }) => path.startsWith('kubelet'))
          .map(({ key }) => key),
      }));
      expect(sources.filter(({ items }) => items.length > 0)).toEqual(pair ? [pair] : []);
      const args = (containers(workload)[0].args as string[]).filter((arg) => arg.startsWith('--kubelet'));
      const files = [`--kubelet-client-certificate=${FILES[0]}`, `--kubelet-client-key=${FILES[1]}`];
      const users = pair && role === 'api-server' ? ['--kubelet-client-users=apiserver-kubelet-client'] : [];
      expect(args).toEqual([...(pair ? files : []), ...users]);
    }
  });

  test('gives nobody the rights of a kubelet client where no user is named', () => {
    const { objects } = render('values', '--set=kubelets.clientUser=');
    const server = named(objects, 'Deployment', 'orch-api-server') as Manifest;
    expect((containers(server)[0].args as string[]).join()).not.toContain('--kubelet-client-users');
  });

  test.each([
    ['that it makes', 'pki.mode=generate', 'Secret', 'orch-scheduler'],
    ['of cert-manager', 'pki.mode=certManager', 'Certificate', 'orch-scheduler'],
    ['of yours', 'scheduler.clientSecret=mine', undefined, 'mine'],
  ])('runs a scheduler with a certificate %s', (_, set, kind, secret) => {
    const { objects } = render('values', `--set=scheduler.enabled=true,${set}`);
    const deployment = named(objects, 'Deployment', 'orch-scheduler') as Manifest;
    expect(deployment.spec.replicas).toBe(2);
    const made = objects.filter(({ metadata }) => metadata.name === 'orch-scheduler').map((each) => each.kind);
    expect(made.filter((each) => ['Secret', 'Certificate'].includes(each))).toEqual(kind ? [kind] : []);
    const [pki] = deployment.spec.template.spec.volumes;
    expect(pki.projected.sources.map((source: Manifest) => source.secret.name)).toEqual([secret, 'orch-servers']);
    if (kind === 'Secret') {
      const { subject, subjectAltName } = new X509Certificate(
        Buffer.from(named(objects, 'Secret', 'orch-scheduler')?.data['tls.crt'], 'base64'),
      );
      expect([subject, subjectAltName]).toEqual(['CN=system:kube-scheduler', 'DNS:localhost']);
    }
  });

  test('gives a scheduler only options that it has, a kubeconfig, and a way to api-servers', () => {
    const set = '--set=scheduler.enabled=true,scheduler.extraArgs={--max-bindings=64}';
    const { objects } = render('values', set, '--set-string=scheduler.config=a: b');
    const [{ args }] = containers(named(objects, 'Deployment', 'orch-scheduler') as Manifest);
    expect(args).toEqual(expect.arrayContaining(['--max-bindings=64', '--config=/etc/orch/scheduler/config.yaml']));
    const { stderr } = spawnSync(process.execPath, [EXECUTABLE, ...args, '--none-such'], { encoding: 'utf8', env: {} });
    expect(stderr).toBe('Error: unknown flag: --none-such\n');
    const { data } = named(objects, 'ConfigMap', 'orch-scheduler') as Manifest;
    expect(data['config.yaml']).toBe('a: b');
    expect(parse(data.kubeconfig).clusters[0].cluster.server).toBe('https://orch-api-server.orch.svc:443');
    const from = (named(objects, 'NetworkPolicy', 'orch-api-server') as Manifest).spec.ingress.flatMap(
      (rule: Manifest) =>
        rule.from.map((peer: Manifest) => peer.podSelector.matchLabels['app.kubernetes.io/component']),
    );
    expect(from).toContain('scheduler');
  });

  test('replaces the pods of a scheduler when its configuration changes, and has none unless asked to', () => {
    const checksum = (config: string) =>
      named(
        render('values', '--set=scheduler.enabled=true', `--set-string=scheduler.config=${config}`).objects,
        'Deployment',
        'orch-scheduler',
      )?.spec.template.metadata.annotations['checksum/start'];
    expect(checksum('a: b')).not.toBe(checksum('a: c'));
    expect(render('values').text).not.toContain('orch-scheduler');
  });

  test('takes rules and dashboards as files', () => {
    const rules = join(DEPLOY, 'prometheus', 'rules', 'orch.yml');
    const dashboard = join(DEPLOY, 'grafana', 'orch-watch.json');
    const files = [`--set-file=monitoring.rules=${rules}`, `--set-file=monitoring.dashboards.orch-watch=${dashboard}`];
    const { objects } = render('values', ...files);
    const [rule] = objects.filter(({ kind }) => kind === 'PrometheusRule');
    expect(rule?.spec.groups).toEqual(parse(readFileSync(rules, 'utf8')).groups);
    const map = named(objects, 'ConfigMap', 'orch-dashboards');
    expect(map?.data['orch-watch.json']).toBe(readFileSync(dashboard, 'utf8'));
  });

  test('has a blackbox exporter ask what clients are given, by the job and the modules that are shipped', () => {
    const enabled = '--set=monitoring.probe.enabled=true,monitoring.probe.prober=blackbox:9115';
    const probesOf = (...more: readonly string[]) =>
      render('values', enabled, ...more).objects.filter(({ kind }) => kind === 'Probe');
    const asked = (...more: readonly string[]) =>
      probesOf(...more).map(({ spec }) => [spec.module, spec.targets.staticConfig.static]);
    expect(asked()).toEqual([['orch_readyz', ['https://orch-load-balancer.orch.svc/readyz']]]);
    expect(asked('--set=loadBalancer.enabled=false')).toEqual([
      ['orch_readyz', ['https://orch-api-server.orch.svc/readyz']],
    ]);
    expect(asked('--set=config.publicUrl=https://api.example.com:6443')).toEqual([
      ['orch_readyz', ['https://api.example.com:6443/readyz']],
    ]);
    const own = ['--set=monitoring.probe.targets.orch_nats={nats.example.com:4222}'];
    expect(asked(...own)).toEqual([['orch_nats', ['nats.example.com:4222']]]);
    const shipped = (name: string) => parse(readFileSync(join(DEPLOY, 'prometheus', name), 'utf8'));
    const jobs = shipped('prometheus.yml').scrape_configs.map(({ job_name }: { job_name: string }) => job_name);
    for (const { spec } of [...probesOf(), ...probesOf(...own)]) {
      expect(jobs).toContain(spec.jobName);
      expect(Object.keys(shipped('blackbox.yml').modules)).toContain(spec.module);
      expect(spec.prober).toEqual({ url: 'blackbox:9115' });
    }
  });

  test.each([
    ['an unknown value', 'gateway.replica=3'],
    ['a duration without a unit', 'config.historyRetention=300'],
    ['an unknown naming profile', 'config.naming=k8s'],
    ['two NATS servers', 'nats.bundled.replicas=2'],
    ['an image digest that is none', 'image.digest=sha256:abc'],
    ['authorities of nobody', 'pki.mode=secret'],
    ['metrics without credentials', 'monitoring.podMonitor.enabled=true'],
    ['probes without an exporter', 'monitoring.probe.enabled=true'],
    ['a probe of nobody', 'monitoring.probe.targets.orch_tls=api.example.com:6443'],
    ['an audit log without a policy', 'audit.postgres.enabled=true'],
    [
      'a scheduler that nobody believes',
      'scheduler.enabled=true,pki.mode=secret,pki.secretName=s,loadBalancer.secretName=b',
    ],
    ['gateways alone with an identity', 'nats.auth.gatewaySecret=s'],
  ])('refuses %s', (_, value) => {
    const { code, stderr } = runHelm(['template', 'orch', CHART, '--kube-version=1.27', `--set=${value}`]);
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/values don't meet|is needed/);
  });
});
