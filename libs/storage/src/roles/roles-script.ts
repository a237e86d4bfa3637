import { literal } from '../reads/snapshot-sql.js';
import type { RoleNames, SchemaRights } from './rights.js';
import { block, formatted, identifier, rightsScript } from './rights-script.js';

/** A schema of an installation, and the rights in it. */
export interface RoledSchema {
  /** Plain lower case. */
  readonly name: string;
  /** Rights that the roles of servers get. */
  readonly rights: SchemaRights;
  /** Number of the newest migration that these know of. */
  readonly newest: number;
}

/** Authentication of a role. */
export interface RoleLogin {
  /** Password verifier to store (`pg_authid.rolpassword`); the present one stays if absent. */
  readonly verifier?: string;
  /** Whether it may log in without one: by IAM, a certificate, or a password that is set elsewhere. */
  readonly external: boolean;
}

/** Roles and schemas to create. */
export interface RolesSettings {
  /** Names of the three roles. */
  readonly roles: RoleNames;
  /** How each logs in. */
  readonly logins: Readonly<Record<keyof RoleNames, RoleLogin>>;
  /** Schemas to create if missing, owned by the migrator. */
  readonly schemas: readonly RoledSchema[];
  /** Schemas and tables of another role become the migrator's; otherwise they are an error. */
  readonly takesOver: boolean;
}

/**
 * SQL that makes the roles and schemas of an installation, or alters existing ones to match. To be run in one
 * transaction, by a superuser, or by the owner of the database who may create roles.
 */
export function rolesScript({ roles, logins, schemas, takesOver }: RolesSettings): string {
  const kinds = ['migrator', 'apiServer', 'gateway'] as const;
  return [
    ...kinds.map((kind) => making(roles[kind], logins[kind])),
    checks(roles),
    joining(roles.migrator),
    ...schemas.map(({ name }) => owning(name, roles.migrator, takesOver)),
    connecting(Object.values(roles)),
    ...schemas.map((schema) => notAhead(schema) + rightsScript(schema.name, schema.rights, roles)),
    leaving(roles.migrator),
  ].join('\n');
}

function making(role: string, { verifier, external }: RoleLogin): string {
  const own = identifier(role);
  const login = verifier === undefined ? external : true;
  const made = block(
    '',
    `  IF to_regrole(${literal(own)}) IS NULL THEN
    CREATE ROLE ${own} NOLOGIN;
  END IF;`,
  );
  if (!login) return made;
  return `${made}ALTER ROLE ${own} LOGIN${verifier === undefined ? '' : ` PASSWORD ${literal(verifier)}`};\n`;
}

/** Checks that inherited rights of the roles do not undermine the ones granted here. */
const checks = ({ migrator, apiServer, gateway }: RoleNames): string =>
  block(
    '  found record;',
    `  FOR found IN
    SELECT r.rolname, r.rolsuper OR r.rolcreaterole OR r.rolcreatedb OR r.rolreplication OR r.rolbypassrls AS mighty,
           (SELECT d.datname FROM pg_database d
             WHERE d.datname = current_database() AND NOT r.rolsuper AND pg_has_role(r.oid, d.datdba, 'MEMBER')) AS owned,
           (SELECT string_agg(m.rolname, ', ') FROM pg_roles m
             WHERE m.oid <> r.oid AND NOT r.rolsuper AND pg_has_role(r.oid, m.oid, 'MEMBER')
               AND (m.rolsuper OR m.rolname ~ '^pg_(read_all_data|write_all_data|execute_|read_server|write_server|create_sub|maintain)'
                    OR m.rolname IN (${[migrator, apiServer, gateway].map(literal).join(', ')}))) AS member_of
      FROM pg_roles r WHERE r.rolname IN (${[apiServer, gateway].map(literal).join(', ')})
  LOOP
    IF found.mighty THEN
      RAISE EXCEPTION 'the role % is a superuser, or may make roles or databases, replicate, or pass row security: take that away, or name another', found.rolname;
    ELSIF found.owned IS NOT NULL THEN
      RAISE EXCEPTION 'the role % owns the database %, or is a member of who does, and so may drop it and make schemas: give it to another, or name another role', found.rolname, found.owned;
    ELSIF found.member_of IS NOT NULL THEN
      RAISE EXCEPTION 'the role % is a member of %, and so may do more than it should: take that away, or name another', found.rolname, found.member_of;
    END IF;
  END LOOP;`,
  );

/** SQL that joins the migrator's role for the transaction: only members of a role may give objects to it. */
const joining = (migrator: string): string =>
  block(
    '',
    `  PERFORM set_config('orch.joined', 'no', true);
  IF NOT (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) AND current_user <> ${literal(migrator)}
     AND NOT pg_has_role(current_user, ${literal(identifier(migrator))}::regrole, 'USAGE') THEN
    EXECUTE format('GRANT ${formatted(identifier(migrator))} TO %I', current_user);
    PERFORM set_config('orch.joined', 'yes', true);
  END IF;`,
  );

const leaving = (migrator: string): string =>
  block(
    '',
    `  IF current_setting('orch.joined') = 'yes' THEN
    EXECUTE format('REVOKE ${formatted(identifier(migrator))} FROM %I', current_user);
  END IF;`,
  );

/** SQL that makes the migrator the owner of the schema and of everything in it, and keeps others from adding to it. */
function owning(schema: string, migrator: string, takesOver: boolean): string {
  const own = identifier(schema);
  const to = identifier(migrator);
  const found = `SELECT n.nspowner AS owner, format('SCHEMA %I', n.nspname) AS what FROM pg_namespace n WHERE n.nspname = ${literal(schema)}
    UNION ALL
    SELECT c.relowner, format('%s %s', CASE c.relkind WHEN 'S' THEN 'SEQUENCE' WHEN 'v' THEN 'VIEW' ELSE 'TABLE' END, c.oid::regclass)
      FROM pg_class c
     WHERE c.relnamespace = ${literal(own)}::regnamespace AND c.relkind IN ('r', 'p', 'v', 'S')
       AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'i'
                          AND c.relkind = 'S')
    UNION ALL
    SELECT p.proowner, format('FUNCTION %s', p.oid::regprocedure) FROM pg_proc p WHERE p.pronamespace = ${literal(own)}::regnamespace`;
  const foreign = takesOver
    ? `EXECUTE format('ALTER %s OWNER TO ${formatted(to)}', found.what);`
    : `RAISE EXCEPTION '% belongs to the role %: name that with --migrator-role, or give --take-over, after which nobody but the roles named here may use it', found.what, found.owner::regrole;`;
  return `CREATE SCHEMA IF NOT EXISTS ${own} AUTHORIZATION ${to};
${block(
  '  found record;',
  `  FOR found IN SELECT f.* FROM (${found}) f WHERE f.owner <> ${literal(to)}::regrole LOOP
    ${foreign}
  END LOOP;`,
)}REVOKE ALL ON SCHEMA ${own} FROM PUBLIC;
`;
}

/** SQL that refuses a schema of a newer release, whose servers would lose rights that this release does not know. */
const notAhead = ({ name, newest }: RoledSchema): string =>
  block(
    '  current integer;',
    `  IF to_regclass(${literal(`${identifier(name)}.schema_migration`)}) IS NOT NULL THEN
    SELECT max(number) INTO current FROM ${identifier(name)}.schema_migration;
    IF current > ${newest} THEN
      RAISE EXCEPTION 'the schema ${formatted(name)} is at %, this release knows up to ${newest}: run this command of the newer release', current;
    END IF;
  END IF;`,
  );

const connecting = (roles: readonly string[]): string =>
  block(
    '',
    `  EXECUTE format('GRANT CONNECT ON DATABASE %I TO ${formatted(roles.map(identifier).join(', '))}', current_database());`,
  );
