-- Whoever moves the heads of all types took the lane of each: with thousands of kinds PostgreSQL may have no room for so many locks,
-- and a start after a restoration failed. There is one lock on all lanes now, numbered 0, as no type is: writers and those who wait for
-- them hold it shared, before a lane. The functions are called as before, also by servers of the release before, so that both exclude
-- each other from here on.

-- Keeps all writers out until the end of the transaction: whoever moves heads other than by a write. The next statement sees
-- all that was committed before.
--
-- A batch that had begun as this was migrated goes on with the text it began with, and holds lanes alone. No statement takes minutes, so
-- that those are waited for, lane by lane, for as long as there can be any; where nothing ran before there are none.
CREATE OR REPLACE FUNCTION lock_lanes() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock('lane'::regclass::integer, 0);
  PERFORM FROM schema_migration m
    WHERE m.number = 9 AND m.applied_at > clock_timestamp() - interval '10 minutes'
      AND m.applied_at > (SELECT min(applied_at) FROM schema_migration);
  IF FOUND THEN
    PERFORM pg_advisory_xact_lock('lane'::regclass::integer, l.id) FROM (SELECT id FROM lane ORDER BY id OFFSET 0) l;
  END IF;
END $$;

-- Waits until the write of a type that is in flight has ended, and whatever moves all heads. In the queue of the writers: it
-- overtakes none of them, and keeps none waiting for longer than it takes to wake up.
CREATE OR REPLACE FUNCTION await_lane(p_type integer) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared('lane'::regclass::integer, 0);
  PERFORM pg_advisory_xact_lock_shared('lane'::regclass::integer, p_type);
END $$;

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
--   1. the lock on all lanes, shared; 2. lanes in id order; 3. namespace gates in key order; 4. rows of object, change and head.
-- Rows of class 4 belong to a type whose lane is held, so nobody waits for those. Compaction takes none of 1 to 3.
--
-- Namespace gates: creations hold the gate of their namespace shared until commit, whatever makes a namespace terminating or
-- removes it holds it exclusively. So a creation either commits before the namespace goes away (and its remover sees the
-- object) or sees that it has gone.
--
-- PL/pgSQL prepares every expression anew in each transaction (3 microseconds apiece), so the body says as much as it can
-- inside of its SQL statements.
--
-- Servers one release older call this function: a change of meaning or signature takes a new name.
CREATE OR REPLACE FUNCTION commit_writes(
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
    held := held || ((cardinality(held) > 0 OR pg_advisory_xact_lock_shared('lane'::regclass::integer, 0) IS NOT NULL)
                     AND pg_try_advisory_xact_lock('lane'::regclass::integer, v_type)
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
