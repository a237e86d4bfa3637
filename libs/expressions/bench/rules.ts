/**
 * CPU of rules as definitions have them, in microseconds: compiling one, and judging a value by it. Of seven rounds the best; objects are read from JSON
 * anew for each round, so that nothing is known of them.
 *
 *   npx tsc -b && npx tsx libs/expressions/bench/rules.ts
 */
import { LATER_ENVIRONMENT, RuleValidator, type SchemaProps } from '@orch/expressions';

const ROUNDS = 7;
const TIMES = 4_000;

const schema = {
  type: 'object',
  properties: {
    replicas: { type: 'integer' },
    minReplicas: { type: 'integer' },
    mode: { type: 'string', maxLength: 20 },
    names: { type: 'array', maxItems: 16, items: { type: 'string', maxLength: 63 } },
    ports: {
      type: 'array',
      maxItems: 16,
      items: { type: 'object', properties: { name: { type: 'string', maxLength: 63 }, port: { type: 'integer' } } },
    },
    tls: {
      type: 'object',
      properties: { mode: { type: 'string' }, refs: { type: 'array', maxItems: 16, items: { type: 'string' } } },
    },
  },
};

const value = {
  replicas: 3,
  minReplicas: 1,
  mode: 'Active',
  names: ['a.example.com', 'b.example.com', 'c.example.com'],
  ports: [80, 443, 8080, 9090].map((port) => ({ name: `port-${port}`, port })),
  tls: { mode: 'Terminate', refs: ['one'] },
};

const RULES: Readonly<Record<string, string>> = {
  'two numbers': 'self.minReplicas <= self.replicas',
  'one of some': "self.mode in ['Active', 'Passive', 'Off']",
  'a choice': "has(self.tls) && self.tls.mode == 'Terminate' ? size(self.tls.refs) > 0 : true",
  transition: 'self.mode == oldSelf.mode',
  'every name': "self.names.all(n, n.endsWith('.example.com'))",
  'a pattern': "self.mode.matches('^[A-Z][a-z]+$')",
  'pairs of four ports': 'self.ports.all(p, self.ports.exists_one(q, q.port == p.port))',
};

const spent = (step: () => void): number => {
  const before = process.cpuUsage();
  step();
  const { user, system } = process.cpuUsage(before);
  return user + system;
};

for (const [name, rule] of Object.entries(RULES)) {
  let [judging, compiling] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let round = 0; round < ROUNDS; round++) {
    const values = Array.from({ length: TIMES }, () => JSON.parse(JSON.stringify(value)) as typeof value);
    const ruled = (): RuleValidator =>
      new RuleValidator({ ...schema, 'x-kubernetes-validations': [{ rule }] } as SchemaProps, false, LATER_ENVIRONMENT);
    const validator = ruled();
    validator.validate(values[0], values[0]);
    judging = Math.min(
      judging,
      spent(() => {
        for (const each of values) validator.validate(each, value);
      }) / TIMES,
    );
    compiling = Math.min(
      compiling,
      spent(() => {
        for (let i = 0; i < TIMES / 40; i++) ruled().validate(value, value);
      }) /
        (TIMES / 40),
    );
  }
  console.log(
    `${name.padEnd(24)} judging ${judging.toFixed(1).padStart(6)}  compiling ${compiling.toFixed(0).padStart(5)}`,
  );
}
