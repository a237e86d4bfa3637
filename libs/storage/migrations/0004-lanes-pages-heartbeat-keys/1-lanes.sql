-- Lanes and heads that no open snapshot can slow down.
--
-- A head that is updated by each commit leaves a chain of row versions that cannot be pruned while any older snapshot is open
-- (pg_dump, a long list, a replica with feedback), and every reader of the head walks it. So a lane is an advisory lock now, and
-- heads are a log: each commit adds one, the newest is the first that a search from the end of the index finds, however many
-- lie behind it. Compaction removes those.
--
-- Servers of the release before go on: they call write_batch, begin_epoch and begin_branch, whose bodies are replaced here and in 3-heartbeat.sql;
-- they read resource_type, now a view, and insert into it. Where they lock its rows they do not wait for a write in flight
-- any more: a read at a version between the head and one drawn but not committed is answered at the head.

ALTER TABLE resource_type RENAME TO lane;

-- One row per commit and type; the highest version is the type's head.
CREATE TABLE head (
  type integer NOT NULL,
  version bigint NOT NULL,
  PRIMARY KEY (type, version)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000,
        autovacuum_vacuum_insert_threshold = 1000000, autovacuum_analyze_threshold = 1000000);
INSERT INTO head (type, version) SELECT id, head FROM lane;

ALTER TABLE lane DROP COLUMN head;

-- The types with their heads: what everybody reads.
CREATE VIEW resource_type AS
  SELECT l.id, l.api_group, l.resource,
         (SELECT h.version FROM head h WHERE h.type = l.id ORDER BY h.version DESC LIMIT 1) AS head
    FROM lane l;

CREATE FUNCTION insert_resource_type() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO lane (id, api_group, resource) VALUES (NEW.id, NEW.api_group, NEW.resource);
  INSERT INTO head (type, version) VALUES (NEW.id, NEW.head);
  RETURN NEW;
END $$;
CREATE TRIGGER insert_resource_type INSTEAD OF INSERT ON resource_type
  FOR EACH ROW EXECUTE FUNCTION insert_resource_type();

-- A batch of the release before that had begun when the lanes changed holds none of them: it is rolled back, and its server,
-- which knows this error, calls what write_batch is now.
CREATE FUNCTION refuse_head() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'lanes have changed meanwhile' USING ERRCODE = 'serialization_failure';
END $$;
CREATE TRIGGER refuse_head INSTEAD OF UPDATE ON resource_type FOR EACH ROW EXECUTE FUNCTION refuse_head();

-- Takes every lane until the end of the transaction, in the order of writers: whoever moves heads other than by a write.
-- The next statement sees all that was committed under them.
CREATE FUNCTION lock_lanes() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock('lane'::regclass::integer, l.id) FROM (SELECT id FROM lane ORDER BY id OFFSET 0) l;
END $$;

-- Waits until the write of a type that is in flight has ended. In the queue of the writers: it overtakes none of them, and
-- keeps none waiting for longer than it takes to wake up.
CREATE FUNCTION await_lane(p_type integer) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared('lane'::regclass::integer, p_type);
END $$;

-- Takes a lane that somebody else holds, in the order of coming. Returns false when it was not to be had in p_patience
-- milliseconds; null: waits up to the lock_timeout of the session, and fails.
CREATE FUNCTION take_lane(p_type integer, p_patience integer) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  lock_timeout text := current_setting('lock_timeout');
BEGIN
  IF p_patience IS NULL THEN
    PERFORM pg_advisory_xact_lock('lane'::regclass::integer, p_type);
    RETURN true;
  ELSIF p_patience = 0 THEN
    RETURN false;
  END IF;
  PERFORM set_config('lock_timeout', p_patience::text, true);
  BEGIN
    PERFORM pg_advisory_xact_lock('lane'::regclass::integer, p_type);
  EXCEPTION WHEN lock_not_available THEN
    PERFORM set_config('lock_timeout', lock_timeout, true);
    RETURN false;
  END;
  PERFORM set_config('lock_timeout', lock_timeout, true);
  RETURN true;
END $$;

-- Up to where the log of heads has been trimmed: what lies before it may still be there, dead, while old snapshots are open,
-- and would be gone through again each time.
CREATE TABLE head_trimmed (
  type integer PRIMARY KEY REFERENCES lane (id),
  version bigint NOT NULL
) WITH (fillfactor = 10);

-- Removes the heads that are none any more, p_most at a time: there may be many where only servers of the release before, which
-- remove none, have run for days. Writers do not wait for it, nor it for them.
CREATE FUNCTION trim_heads(p_most bigint DEFAULT 200000) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  lagging record;
  bound bigint;
  removed bigint;
BEGIN
  FOR lagging IN
    SELECT t.id, t.head, coalesce(d.version, 0) AS trimmed FROM resource_type t LEFT JOIN head_trimmed d ON d.type = t.id
     WHERE coalesce(d.version, 0) < t.head ORDER BY trimmed
  LOOP
    SELECT coalesce((SELECT h.version FROM head h
                      WHERE h.type = lagging.id AND h.version >= lagging.trimmed AND h.version < lagging.head
                      ORDER BY h.version OFFSET p_most LIMIT 1), lagging.head) INTO bound;
    DELETE FROM head h WHERE h.type = lagging.id AND h.version >= lagging.trimmed AND h.version < bound;
    GET DIAGNOSTICS removed = ROW_COUNT;
    INSERT INTO head_trimmed VALUES (lagging.id, bound) ON CONFLICT (type) DO UPDATE SET version = EXCLUDED.version;
    p_most := p_most - removed;
    EXIT WHEN p_most <= 0;
  END LOOP;
END $$;

-- In which version of the API a body is stored; empty: in the one that the release before stored the kind in.
ALTER TABLE object ADD COLUMN stored_version text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE change ADD COLUMN stored_version text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE change ADD COLUMN prior_stored_version text COLLATE "C";

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
CREATE FUNCTION commit_batch(
  p_patience integer, p_types integer[], p_gates bigint[], p_namespaces integer,
  p_lane smallint[], p_action smallint[], p_namespace text[], p_name text[], p_uid text[], p_version bigint[],
  p_stored_version text[], p_body bytea[], p_set smallint[])
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
  v_body bytea;
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
  FOR v_item, v_type, v_lane, v_action, v_namespace, v_name, v_uid, v_version, v_stored_version, v_body, v_set,
      v_done, v_terminating, v_sought IN
    SELECT u.item, p_types[u.lane], u.lane, u.action, u.namespace, u.name, u.uid, u.version, u.stored_version, u.body, u.set,
           CASE WHEN u.action < 5 THEN 3 ELSE 5 END::smallint, u.action = 4, u.action = 5 OR random() < 0.125
      FROM unnest(p_lane, p_action, p_namespace, p_name, p_uid, p_version, p_stored_version, p_body, p_set)
           WITH ORDINALITY u (lane, action, namespace, name, uid, version, stored_version, body, set, item)
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
                       AND x.name >= u.name COLLATE "C" AND x.name <= u.name COLLATE "C" ORDER BY x.name DESC LIMIT 1) o ON true
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
      -- The object is looked for from the end of those with its key, where the newest of its row versions lies in most cases: an
      -- old snapshot may keep any number of them. (The planner would take an equality for no order at all.) It is found once, and
      -- reached by its place from then on.
      SELECT o.ctid, o.version, o.uid INTO place, found_version, o_uid FROM object o
       WHERE o.type = v_type AND o.namespace = v_namespace AND o.name >= v_name AND o.name <= v_name
       ORDER BY o.name DESC LIMIT 1;
      IF found_version = (CASE WHEN v_version >= 0 THEN v_version WHEN o_outcome = 1 THEN o_version END) THEN
        INSERT INTO change (type, version, previous, prior_version, at, action, namespace, name, uid,
                            stored_version, body, prior_stored_version, prior, sought)
          SELECT v_type, nextval('resource_version'), o_previous, o.version, o_at, v_done,
                 v_namespace, v_name, o.uid, v_stored_version, v_body, o.stored_version, o.body, v_sought
            FROM object o WHERE o.ctid = place
          RETURNING 1, version INTO o_outcome, o_version;
        IF v_action = 5 THEN
          DELETE FROM object o WHERE o.ctid = place;
        ELSE
          UPDATE object o
             SET version = o_version, terminating = v_terminating, stored_version = v_stored_version, body = v_body
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
        INSERT INTO object (type, namespace, name, uid, version, stored_version, body)
          VALUES (v_type, v_namespace, v_name, v_uid, nextval('resource_version'), v_stored_version, v_body)
          ON CONFLICT DO NOTHING
          RETURNING 1, version, uid INTO o_outcome, o_version, o_uid;
        IF FOUND THEN
          INSERT INTO change (type, version, previous, at, action, namespace, name, uid, stored_version, body)
            VALUES (v_type, o_version, o_previous, o_at, 1, v_namespace, v_name, v_uid, v_stored_version, v_body);
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

-- What servers of the release before call, with items grouped by type.
CREATE OR REPLACE FUNCTION write_batch(
  p_types integer[], p_gates bigint[], p_namespaces integer,
  p_type integer[], p_action smallint[], p_namespace text[], p_name text[], p_uid text[], p_version bigint[], p_body bytea[])
RETURNS TABLE (o_outcome smallint, o_version bigint, o_previous bigint, o_uid text, o_at bigint)
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  lanes smallint[];
BEGIN
  SELECT array_agg(array_position(p_types, t)) INTO lanes FROM unnest(p_type) t;
  RETURN QUERY
    SELECT b.o_outcome, b.o_version, b.o_previous, b.o_uid, b.o_at
      FROM commit_batch(NULL, p_types, p_gates, p_namespaces, lanes, p_action, p_namespace, p_name, p_uid, p_version,
                        array_fill(''::text, ARRAY[cardinality(p_type)]), p_body,
                        array_fill(1::smallint, ARRAY[cardinality(p_type)])) b;
END $$;
