import { literal } from '../reads/snapshot-sql.js';
import type { RoleNames, SchemaRights } from './rights.js';

/** Names of roles that are safe in all quotes; those of cloud services' identities are mail addresses. */
const NAME = /^[A-Za-z_][\w.@-]{0,62}$/;

/** A role's or schema's name for SQL. @throws RangeError for what is none of letters, digits, `_`, `-`, `.` and `@` */
export function identifier(name: string): string {
  if (!NAME.test(name)) throw new RangeError(`${JSON.stringify(name)} is not a valid role name`);
  return `"${name}"`;
}

/** Statements in PL/pgSQL. */
export const block = (declarations: string, body: string): string =>
  `DO $orch$\nDECLARE\n${declarations}\nBEGIN\n${body}\nEND $orch$;\n`;

/**
 * SQL that gives the roles of an installation exactly the rights of a schema, revoking all others there. To be run by
 * the owner of the schema, after every migration of it (a function that is replaced no longer runs as its owner). Roles
 * and tables that do not exist yet are skipped.
 */
export function rightsScript(schema: string, rights: SchemaRights, roles: Omit<RoleNames, 'migrator'>): string {
  const grants = [
    ['apiServer', roles.apiServer],
    ['gateway', roles.gateway],
  ] as const;
  return `${everybodyElse(schema, rights)}${grants.map(([kind, role]) => grantsTo(kind, role, schema, rights)).join('')}`;
}

/**
 * SQL that sets which user functions run as, and revokes from everybody else the right to call them, or to add objects
 * to the schema that they would resolve instead of the intended ones. Rights that another role was granted on a table
 * by name stay: it may be one that makes backups.
 */
function everybodyElse(schema: string, { functions }: SchemaRights): string {
  const asOwner = Object.entries(functions).flatMap(([name, { asOwner: is }]) => (is ? [name] : []));
  return block(
    '  called regprocedure;\n  relation record;\n  adding regrole;',
    `  FOR called IN SELECT p.oid FROM pg_proc p WHERE p.pronamespace = to_regnamespace(${literal(schema)}) LOOP
    EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', called);
  END LOOP;
  FOR relation IN
    SELECT c.oid::regclass AS name, CASE c.relkind WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END AS sort
      FROM pg_class c WHERE c.relnamespace = to_regnamespace(${literal(schema)}) AND c.relkind IN ('r', 'p', 'v', 'S')
  LOOP
    EXECUTE format('REVOKE ALL ON %s %s FROM PUBLIC', relation.sort, relation.name);
  END LOOP;
  FOR adding IN
    SELECT DISTINCT a.grantee FROM pg_namespace n, aclexplode(n.nspacl) a
     WHERE n.oid = to_regnamespace(${literal(schema)}) AND a.privilege_type = 'CREATE' AND a.grantee NOT IN (0, n.nspowner)
  LOOP
    EXECUTE format('REVOKE CREATE ON SCHEMA ${formatted(identifier(schema))} FROM %s', adding);
  END LOOP;
  FOR called IN SELECT p.oid FROM pg_proc p
    WHERE p.pronamespace = to_regnamespace(${literal(schema)}) AND p.proname IN (${list(asOwner)})
  LOOP
    EXECUTE format('ALTER FUNCTION %s SECURITY DEFINER SET search_path = ${formatted(identifier(schema))}, pg_temp', called);
  END LOOP;`,
  );
}

function grantsTo(kind: 'apiServer' | 'gateway', role: string, schema: string, rights: SchemaRights): string {
  const to = identifier(role);
  const relations = Object.entries(rights.relations).flatMap(([name, given]) => {
    const privileges = given[kind];
    return privileges === undefined ? [] : [`(${literal(name)}, ${literal(privileges)})`];
  });
  const functions = Object.entries(rights.functions).flatMap(([name, given]) => (given[kind] ? [name] : []));
  const inSchema = `to_regnamespace(${literal(schema)})`;
  return block(
    '  relation record;\n  called regprocedure;',
    `  IF to_regrole(${literal(to)}) IS NULL OR ${inSchema} IS NULL THEN
    RETURN;
  END IF;
  REVOKE ALL ON SCHEMA ${identifier(schema)} FROM ${to};
  GRANT USAGE ON SCHEMA ${identifier(schema)} TO ${to};
  FOR relation IN
    SELECT c.oid::regclass AS name, CASE c.relkind WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END AS sort, g.privileges
      FROM pg_class c LEFT JOIN (VALUES ${relations.join(', ')}) g (name, privileges) ON g.name = c.relname
     WHERE c.relnamespace = ${inSchema} AND c.relkind IN ('r', 'p', 'v', 'S') AND NOT c.relispartition
  LOOP
    EXECUTE format('REVOKE ALL ON %s %s FROM ${formatted(to)}', relation.sort, relation.name);
    IF relation.privileges IS NOT NULL THEN
      EXECUTE format('GRANT %s ON %s %s TO ${formatted(to)}', relation.privileges, relation.sort, relation.name);
    END IF;
  END LOOP;
  FOR called IN SELECT p.oid FROM pg_proc p WHERE p.pronamespace = ${inSchema} LOOP
    EXECUTE format('REVOKE ALL ON FUNCTION %s FROM ${formatted(to)}', called);
  END LOOP;
  FOR called IN SELECT p.oid FROM pg_proc p WHERE p.pronamespace = ${inSchema} AND p.proname IN (${list(functions)}) LOOP
    EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO ${formatted(to)}', called);
  END LOOP;`,
  );
}

/** Part of a format string within a literal. */
export const formatted = (text: string): string => text.replaceAll("'", "''").replaceAll('%', '%%');

const list = (names: readonly string[]): string => names.map(literal).join(', ') || 'NULL';
