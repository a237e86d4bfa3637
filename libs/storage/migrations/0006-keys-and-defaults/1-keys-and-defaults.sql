-- Objects are found by an index that does not enforce that there is one of a key. The primary key did, and was asked at every
-- update that could not stay on its page; it then looked at all row versions that a snapshot which stays open keeps: beside an
-- hour of pg_dump updates took many times as long. A creation now looks before it adds; the lane of a type has one writer at a time.
--
-- The last row version of an object is found from the end of the index. What is written near in time has one era there (2^15
-- versions), so that it may stay on its page; what an open snapshot keeps of former eras lies before it. (With the version itself no
-- update could stay on its page, and an index of 200 busy objects grew a hundredfold between two runs of autovacuum.)
--
-- Rows say which defaults their bodies were given, so that defaults which are younger can be added on the way out.
--
-- Requests wait while the index is made, some seconds for a million objects. Both locks come first: to be refused one
-- after the work would be to do it again and again, beside a long read.

LOCK TABLE object, change IN ACCESS EXCLUSIVE MODE;
-- Null: written before this.
ALTER TABLE object ADD COLUMN era bigint NOT NULL DEFAULT 0, ADD COLUMN defaults smallint;
ALTER TABLE change ADD COLUMN defaults smallint, ADD COLUMN prior_defaults smallint;
ALTER TABLE object DROP CONSTRAINT object_pkey;
CREATE INDEX object_key ON object (type, namespace, name, era);
-- Who publishes the table would have every update refused. For all others whole rows in the log would be wasted.
DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_publication_tables p WHERE p.schemaname = current_schema() AND p.tablename = 'object') THEN
    ALTER TABLE object REPLICA IDENTITY FULL;
  END IF;
END $$;

-- A call that had begun goes on with the text it began with, and relies on the key as it was. It says nothing of defaults, by
-- which it is known when it adds an object, and has to be made once more, as servers do by themselves.
CREATE FUNCTION begin_anew() RETURNS smallint LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the schema was migrated meanwhile' USING ERRCODE = 'serialization_failure';
END $$;
ALTER TABLE object ALTER COLUMN defaults SET DEFAULT begin_anew();

-- Commits a batch of writes: single ones, each decided on its own, and sets, of which all items are committed or none.
--
-- p_patience  milliseconds to wait for a lane that somebody else holds; items whose lane is not to be had by then come back
--             undecided, and all of them where a gate is closed. Null: waits for both, up to the lock_timeout of the session
-- p_types     distinct types of the batch, ascending: the lanes to take
-- p_gates     namespace gates to take, ascending: 2 * (hash of a namespace), plus 1 for exclusive
-- p_namespaces  the type that holds namespaces
-- The other arrays have one element per item, in the order in which they are carried out.
-- p_lane      where in p_types the item's type stands, from 1
-- p_action    1 create, 2 create that requires its namespace, 3 update, 4 update to terminating, 5 delete
-- p_version   what an update or a deletion expects; below zero: what the item before it was given
-- p_defaults  number of the defaults that the object's body was given; null, or beyond the end of the array: 0, not known
-- p_owners    what stands in a column of its own for the object's body; null, or beyond the end of the array: nothing does
-- p_set       1: single; above: so many items, from this one on, are a set; 0: belongs to the set begun before it
-- Returns one row per item, in order. o_outcome: 0 undecided (a lane or gate was not to be had), 1 committed, 2 already exists,
-- 3 conflict, 4 not found, 5 namespace not found, 6 namespace terminating, 7 not done, as another item of the set was refused.
--
-- As nothing is looked at before all lanes are held, a set is decided in two passes, and needs no savepoint.
--
-- VOLATILE, with the lanes taken by a statement of their own: each later statement then has a snapshot that was taken after
-- the lock was granted. A statement that locks and reads at once would read what was there before it waited.
--
-- Deadlock freedom: locks are taken in one global order, and all of a batch's locks of a class before any of the next:
--   1. lanes in id order; 2. namespace gates in key order; 3. rows of object, change and head.
-- Rows of class 3 belong to a type whose lane is held, so nobody waits for those. Compaction takes none of 1 and 2.
--
-- Namespace gates: creations hold the gate of their namespace shared until commit, whatever makes a namespace terminating or
-- removes it holds it exclusively. So a creation either commits before the namespace goes away (and its remover sees the
-- object) or sees that it has gone.
--
-- PL/pgSQL prepares every expression anew in each transaction (3 microseconds apiece), so the body says as much as it can
-- inside of its SQL statements.
--
-- Servers one release older call this function: a change of meaning or signature takes a new name.
CREATE FUNCTION commit_writes(
  p_patience integer, p_types integer[], p_gates bigint[], p_namespaces integer,
  p_lane smallint[], p_action smallint[], p_namespace text[], p_name text[], p_uid text[], p_version bigint[],
  p_stored_version text[], p_defaults smallint[], p_body bytea[], p_owners bytea[], p_set smallint[])
RETURNS TABLE (o_outcome smallint, o_version bigint, o_previous bigint, o_uid text, o_at bigint)
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  held boolean[] := '{}';
  heads bigint[];
  found_heads bigint[];
  gate bigint;
  v_item integer;
  v_type integer;
  v_lane smallint;
  v_action smallint;
  v_namespace text;
  v_name text;
  v_uid text;
  v_version bigint;
  v_stored_version text;
  v_defaults smallint;
  v_body bytea;
  v_owners bytea;
  v_set smallint;
  v_done smallint;
  v_terminating boolean;
  v_sought boolean;
  open_namespace text;
  place tid;
  found_version bigint;
  culprit integer;
  refusal smallint;
  refused_version bigint;
BEGIN
  FOREACH v_type IN ARRAY p_types LOOP
    -- Patience is for one lane: who waited for several would keep from others those that are held already.
    held := held || (pg_try_advisory_xact_lock('lane'::regclass::integer, v_type)
                     OR take_lane(v_type, CASE WHEN false = ANY (held) THEN 0 ELSE p_patience END));
  END LOOP;
  SELECT array_agg(CASE WHEN l.held THEN coalesce(
           (SELECT h.version FROM head h WHERE h.type = l.type ORDER BY h.version DESC LIMIT 1), -1) END),
         (extract(epoch FROM clock_timestamp()) * 1000)::bigint
    INTO heads, o_at FROM unnest(p_types, held) l (type, held);
  IF -1 = ANY (heads) THEN
    RAISE EXCEPTION 'a type of % is not registered', p_types USING ERRCODE = 'foreign_key_violation';
  END IF;
  FOREACH gate IN ARRAY p_gates LOOP
    IF NOT (CASE
      WHEN gate & 1 = 1 AND p_patience IS NULL THEN pg_advisory_xact_lock(1719283745, (gate >> 1)::integer) IS NOT NULL
      WHEN gate & 1 = 1 THEN pg_try_advisory_xact_lock(1719283745, (gate >> 1)::integer)
      WHEN p_patience IS NULL THEN pg_advisory_xact_lock_shared(1719283745, (gate >> 1)::integer) IS NOT NULL
      ELSE pg_try_advisory_xact_lock_shared(1719283745, (gate >> 1)::integer) END)
    THEN
      heads := array_fill(NULL::bigint, ARRAY[cardinality(p_types)]);
      EXIT;
    END IF;
  END LOOP;
  found_heads := heads;

  -- What can be computed is computed here: in the statements below each operator would be looked up anew for each item.
  FOR v_item, v_type, v_lane, v_action, v_namespace, v_name, v_uid, v_version, v_stored_version, v_defaults,
      v_body, v_owners, v_set, v_done, v_terminating, v_sought IN
    SELECT u.item, p_types[u.lane], u.lane, u.action, u.namespace, u.name, u.uid, u.version, u.stored_version,
           coalesce(u.defaults, 0::smallint), u.body, u.owners, u.set,
           CASE WHEN u.action < 5 THEN 3 ELSE 5 END::smallint, u.action = 4, u.action = 5 OR random() < 0.125
      FROM unnest(p_lane, p_action, p_namespace, p_name, p_uid, p_version, p_stored_version, p_defaults, p_body, p_owners, p_set)
           WITH ORDINALITY u (lane, action, namespace, name, uid, version, stored_version, defaults, body, owners, set, item)
  LOOP
    o_previous := heads[v_lane];
    IF v_set <> 1 THEN
      IF v_set > 1 THEN
        SELECT d.item, d.refusal, d.found INTO culprit, refusal, refused_version
          FROM (SELECT v_item + u.item - 1 AS item, o.version AS found,
                       CASE WHEN heads[u.lane] IS NULL THEN 0
                            WHEN u.version < 0 THEN NULL
                            WHEN u.action <= 2 AND o.version IS NOT NULL THEN 2
                            WHEN u.action = 2 AND n.terminating IS NULL THEN 5
                            WHEN u.action = 2 AND n.terminating THEN 6
                            WHEN u.action >= 3 AND o.version IS NULL THEN 4
                            WHEN u.action >= 3 AND o.version <> u.version THEN 3 END AS refusal
                  FROM unnest(p_lane[v_item:v_item + v_set - 1], p_action[v_item:v_item + v_set - 1],
                              p_namespace[v_item:v_item + v_set - 1], p_name[v_item:v_item + v_set - 1],
                              p_version[v_item:v_item + v_set - 1])
                       WITH ORDINALITY u (lane, action, namespace, name, version, item)
                  LEFT JOIN LATERAL (
                    SELECT x.version FROM object x
                     WHERE u.version >= 0 AND x.type = p_types[u.lane] AND x.namespace = u.namespace COLLATE "C"
                       AND x.name = u.name COLLATE "C" ORDER BY x.era DESC LIMIT 1) o ON true
                  LEFT JOIN LATERAL (
                    SELECT x.terminating FROM object x
                     WHERE u.action = 2 AND x.type = p_namespaces AND x.namespace = '' AND x.name = u.namespace COLLATE "C"
                    OFFSET 0) n ON true) d
         WHERE d.refusal IS NOT NULL ORDER BY d.refusal <> 0, d.item LIMIT 1;
      END IF;
      IF culprit IS NOT NULL THEN
        SELECT CASE WHEN refusal = 0 OR v_item = culprit THEN refusal ELSE 7 END, refused_version, NULL, NULL
          INTO o_outcome, o_version, o_previous, o_uid;
        RETURN NEXT;
        CONTINUE;
      END IF;
    ELSIF o_previous IS NULL THEN
      SELECT 0, NULL, NULL, NULL INTO o_outcome, o_version, o_previous, o_uid;
      RETURN NEXT;
      CONTINUE;
    END IF;

    IF v_action >= 3 THEN
      -- Those of the last era come first: an old snapshot may keep any number of others. The object is found once, and reached by
      -- its place from then on.
      SELECT o.ctid, o.version, o.uid INTO place, found_version, o_uid FROM object o
       WHERE o.type = v_type AND o.namespace = v_namespace AND o.name = v_name
       ORDER BY o.era DESC LIMIT 1;
      IF found_version = (CASE WHEN v_version >= 0 THEN v_version WHEN o_outcome = 1 THEN o_version END) THEN
        INSERT INTO change (type, version, previous, prior_version, at, action, namespace, name, uid,
                            stored_version, defaults, body, owners,
                            prior_stored_version, prior_defaults, prior, prior_owners, sought)
          SELECT v_type, nextval('resource_version'), o_previous, o.version, o_at, v_done,
                 v_namespace, v_name, o.uid, v_stored_version, v_defaults, v_body, v_owners,
                 o.stored_version, o.defaults, o.body, o.owners, v_sought
            FROM object o WHERE o.ctid = place
          RETURNING 1, version INTO o_outcome, o_version;
        IF v_action = 5 THEN
          DELETE FROM object o WHERE o.ctid = place;
        ELSE
          UPDATE object o
             SET version = o_version, era = o_previous >> 15, terminating = v_terminating, stored_version = v_stored_version,
                 defaults = v_defaults, body = v_body, owners = v_owners
           WHERE o.ctid = place;
        END IF;
        IF v_type = p_namespaces THEN
          open_namespace := NULL;
        END IF;
        heads[v_lane] := o_version;
      ELSE
        SELECT CASE WHEN place IS NULL THEN 4 ELSE 3 END, found_version, NULL INTO o_outcome, o_version, o_previous;
      END IF;
    ELSE
      o_outcome := NULL;
      IF v_action = 2 AND v_namespace IS DISTINCT FROM open_namespace THEN
        SELECT CASE WHEN o.name IS NULL THEN 5 WHEN o.terminating THEN 6 END,
               CASE WHEN NOT o.terminating THEN v_namespace END, NULL, NULL
          INTO o_outcome, open_namespace, o_version, o_uid
          FROM (SELECT) one LEFT JOIN object o ON o.type = p_namespaces AND o.namespace = '' AND o.name = v_namespace;
      END IF;
      IF o_outcome IS NULL THEN
        -- Whoever holds the lane is the only one who adds to the type.
        INSERT INTO object (type, namespace, name, uid, version, era, stored_version, defaults, body, owners)
          SELECT v_type, v_namespace, v_name, v_uid, nextval('resource_version'), o_previous >> 15, v_stored_version, v_defaults,
                 v_body, v_owners
           WHERE NOT EXISTS (SELECT FROM object o
                              WHERE o.type = v_type AND o.namespace = v_namespace AND o.name = v_name)
          RETURNING 1, version, uid INTO o_outcome, o_version, o_uid;
        IF FOUND THEN
          INSERT INTO change (type, version, previous, at, action, namespace, name, uid, stored_version, defaults, body, owners)
            VALUES (v_type, o_version, o_previous, o_at, 1, v_namespace, v_name, v_uid, v_stored_version, v_defaults,
                    v_body, v_owners);
          heads[v_lane] := o_version;
        ELSE
          o_outcome := 2;
        END IF;
      END IF;
    END IF;
    RETURN NEXT;
  END LOOP;
  INSERT INTO head (type, version)
    SELECT h.type, h.now FROM unnest(p_types, found_heads, heads) h (type, before, now) WHERE h.now <> h.before;
END $$;

-- What servers of the release before call: writes that say nothing of defaults.
CREATE OR REPLACE FUNCTION commit_units(
  p_patience integer, p_types integer[], p_gates bigint[], p_namespaces integer,
  p_lane smallint[], p_action smallint[], p_namespace text[], p_name text[], p_uid text[], p_version bigint[],
  p_stored_version text[], p_body bytea[], p_owners bytea[], p_set smallint[])
RETURNS TABLE (o_outcome smallint, o_version bigint, o_previous bigint, o_uid text, o_at bigint)
LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN QUERY
    SELECT u.o_outcome, u.o_version, u.o_previous, u.o_uid, u.o_at
      FROM commit_writes(p_patience, p_types, p_gates, p_namespaces, p_lane, p_action, p_namespace, p_name, p_uid, p_version,
                         p_stored_version, '{}', p_body, p_owners, p_set) u;
END $$;

-- What only servers of two releases before called.
DROP FUNCTION commit_batch(integer, integer[], bigint[], integer, smallint[], smallint[], text[], text[], text[], bigint[],
                           text[], bytea[], smallint[]);
