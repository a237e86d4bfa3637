-- Accounts: objects that say how much there may be of something, and how much there is (quotas). A write that makes the amount larger or
-- smaller is charged to the accounts of its namespace in its own commit, as a difference that is decided under the lane of
-- the accounts: writers of one namespace neither conflict with each other nor read the account first.
--
-- The body of an account tells what it has: each batch that charges it writes one new version of it, after what is charged. So at
-- every version of an account its amounts are what there is. What is reckoned with is kept beside it, in a row that each batch adds in
-- the place of the one before: the last is the first that a search from the end of the index finds, however many an open snapshot keeps.
--
-- Whoever plans a write knows the accounts from memory, up to some version. `account` tells when the terms of each (what it counts) were
-- last written: a write that was planned with less is refused, and planned anew. Namespaces without accounts cost one look at an
-- index a batch.

-- What an account has at a version; no row: a server of the release before has written it. `tally`:
-- {"tail": bytes of the body from where the object of its amounts begins, "size": bytes of that object,
--  "of": {NAME: {"limit": number, "used": number (absent: nobody has counted yet), "binary": how it is told}}}
CREATE TABLE tally (
  namespace text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  version bigint NOT NULL,
  tally jsonb NOT NULL,
  PRIMARY KEY (namespace, name, version)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

-- Every account there is, with the version at which its terms were last written.
CREATE TABLE account (
  namespace text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  terms bigint NOT NULL,
  PRIMARY KEY (namespace, name)
);
CREATE INDEX account_terms ON account (terms);

-- Namespaces with accounts in which a server of the release before has written, which charges nothing: to be counted again.
CREATE TABLE uncharged (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  namespace text COLLATE "C" NOT NULL
);

INSERT INTO account (namespace, name, terms)
  SELECT o.namespace, o.name, o.version FROM object o JOIN lane l ON l.id = o.type
   WHERE l.api_group = '' AND l.resource = 'resourcequotas';
INSERT INTO uncharged (namespace) SELECT DISTINCT namespace FROM account;

-- An amount in the shortest canonical form of a quantity: a whole number of the largest unit, 1024 a step or 1000.
CREATE FUNCTION amount_text(p_amount numeric, p_binary boolean) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT coalesce(
    CASE WHEN p_binary AND abs(p_amount) >= 1024 THEN
      (SELECT trim_scale(p_amount / 1024::numeric ^ u.step)::text || u.suffix
         FROM unnest('{Ei,Pi,Ti,Gi,Mi,Ki}'::text[], '{6,5,4,3,2,1}'::integer[]) u (suffix, step)
        WHERE p_amount % 1024::numeric ^ u.step = 0 ORDER BY u.step DESC LIMIT 1) END,
    CASE WHEN p_amount <> 0 THEN
      (SELECT trim_scale(p_amount / u.unit)::text || u.suffix
         FROM unnest('{E,P,T,G,M,k,"",m,u,n}'::text[], '{1e18,1e15,1e12,1e9,1e6,1e3,1,1e-3,1e-6,1e-9}'::numeric[]) u (suffix, unit)
        WHERE p_amount % u.unit = 0 AND (NOT p_binary OR u.unit <= 1) ORDER BY u.unit DESC LIMIT 1) END,
    trim_scale(p_amount)::text)
$$;

-- Writes what a batch has charged so far: one new version of each account of which an amount has changed.
-- p_namespace, p_account, p_amount, p_used, p_changed: of each amount that the batch speaks of, whose it is, its name, what it is now
CREATE FUNCTION write_tallies(
  p_accounts integer, p_head bigint, p_at bigint,
  p_namespace text[], p_account text[], p_amount text[], p_used numeric[], p_changed boolean[])
RETURNS TABLE (o_version bigint, o_previous bigint, o_uid text, o_namespace text, o_name text, o_stored_version text,
               o_defaults smallint, o_body bytea, o_owners bytea)
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  changed record;
  was record;
  told bytea;
  tail integer;
  now_of jsonb;
BEGIN
  o_previous := p_head;
  FOR changed IN
    SELECT u.namespace, u.account, jsonb_object_agg(u.amount, u.used) AS amounts
      FROM unnest(p_namespace, p_account, p_amount, p_used, p_changed) u (namespace, account, amount, used, changed)
     WHERE u.changed GROUP BY 1, 2 ORDER BY 1, 2
  LOOP
    SELECT o.ctid AS place, o.*, t.tally, t.ctid AS tally_place INTO was
      FROM (SELECT x.ctid, x.* FROM object x
             WHERE x.type = p_accounts AND x.namespace = changed.namespace AND x.name = changed.account ORDER BY x.era DESC LIMIT 1) o,
           (SELECT x.ctid, x.* FROM tally x
             WHERE x.namespace = changed.namespace AND x.name = changed.account ORDER BY x.version DESC LIMIT 1) t;
    SELECT jsonb_object_agg(e.key, CASE WHEN jsonb_typeof(changed.amounts -> e.key) = 'number'
                                        THEN e.value || jsonb_build_object('used', changed.amounts -> e.key) ELSE e.value END)
      INTO now_of FROM jsonb_each(was.tally -> 'of') e;
    SELECT convert_to(format('{%s}', string_agg(format('"%s":"%s"', e.key,
                                 amount_text((e.value ->> 'used')::numeric, (e.value ->> 'binary')::boolean)), ',' ORDER BY e.key COLLATE "C")), 'UTF8')
      INTO told FROM jsonb_each(now_of) e WHERE e.value ? 'used';
    tail := (was.tally ->> 'tail')::integer;
    o_body := substr(was.body, 1, length(was.body) - tail) || told
              || substr(was.body, length(was.body) - tail + (was.tally ->> 'size')::integer + 1);
    INSERT INTO change (type, version, previous, prior_version, at, action, namespace, name, uid,
                        stored_version, defaults, body, owners,
                        prior_stored_version, prior_defaults, prior, prior_owners, sought)
      VALUES (p_accounts, nextval('resource_version'), o_previous, was.version, p_at, 3, was.namespace, was.name, was.uid,
              was.stored_version, coalesce(was.defaults, 0::smallint), o_body, was.owners,
              was.stored_version, was.defaults, was.body, was.owners, random() < 0.125)
      RETURNING version INTO o_version;
    UPDATE object o
       SET version = o_version, era = o_previous >> 15, body = o_body WHERE o.ctid = was.place;
    DELETE FROM tally t WHERE t.ctid = was.tally_place;
    INSERT INTO tally (namespace, name, version, tally)
      VALUES (was.namespace, was.name, o_version, jsonb_build_object(
        'tail', tail - (was.tally ->> 'size')::integer + length(told), 'size', length(told), 'of', now_of));
    SELECT was.uid, was.namespace, was.name, was.stored_version, coalesce(was.defaults, 0::smallint), was.owners
      INTO o_uid, o_namespace, o_name, o_stored_version, o_defaults, o_owners;
    RETURN NEXT;
    o_previous := o_version;
  END LOOP;
END $$;

-- Commits a batch of writes as commit_writes does (0009), and charges what they change to accounts. What is added to it:
--
-- p_accounts  the type that holds accounts; 0: none
-- p_set       also -1: single, and charged: looked at before it is carried out, as a set is
-- p_known     per item: up to which version of the accounts it was planned with; below zero, or beyond the end of the array: it is not
--             said, and not asked. Refused (8) where the terms of an account of its namespace are younger
-- p_tally     per item that writes an account: its `tally`, and "same": its terms are what they were
-- p_of_*      amounts that items are charged to: namespace and name of the account, name of the amount. One that the account does not have,
--             and one of an account that is not there any more, is charged nothing
-- p_charged_* what is charged, in the order of the items: item, from 1; place among p_of_*, from 1; by how much; whether the limit counts
--             then an item is refused (9) where it is exceeded, or nobody has counted yet how much there is
-- Also returns, behind an item refused by 9, o_note: [[place among p_of_*, used or null, limit], …]; and in between rows that are no items,
-- with an o_name: accounts as they were written.
--
-- Locks are taken in the same order. A batch that charges anything holds the lane of the accounts.
CREATE FUNCTION commit_charged(
  p_patience integer, p_types integer[], p_gates bigint[], p_namespaces integer,
  p_lane smallint[], p_action smallint[], p_namespace text[], p_name text[], p_uid text[], p_version bigint[],
  p_stored_version text[], p_defaults smallint[], p_body bytea[], p_owners bytea[], p_set smallint[],
  p_accounts integer, p_known bigint[], p_tally jsonb[],
  p_of_namespace text[], p_of_account text[], p_of_amount text[],
  p_charged_item integer[], p_charged_of integer[], p_charged_by numeric[], p_charged_limited smallint[])
RETURNS TABLE (o_outcome smallint, o_version bigint, o_previous bigint, o_uid text, o_at bigint, o_note text,
               o_namespace text, o_name text, o_stored_version text, o_defaults smallint, o_body bytea, o_owners bytea)
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
  newest_terms bigint;
  v_known bigint;
  v_tally jsonb;
  v_size integer;
  accounts_lane smallint := array_position(p_types, p_accounts);
  charges integer := coalesce(cardinality(p_charged_item), 0);
  charge integer := 1;
  slot integer;
  used numeric[];
  limits numeric[];
  changed boolean[];
  pending boolean := false;
  used_before numeric[];
  changed_before boolean[];
  exceeded text[];
BEGIN
  FOREACH v_type IN ARRAY p_types LOOP
    -- Patience is for one lane: who waited for several would keep from others those that are held already.
    held := held || ((cardinality(held) > 0 OR pg_advisory_xact_lock_shared('lane'::regclass::integer, 0) IS NOT NULL)
                     AND pg_try_advisory_xact_lock('lane'::regclass::integer, v_type)
                     OR take_lane(v_type, CASE WHEN false = ANY (held) THEN 0 ELSE p_patience END));
  END LOOP;
  SELECT array_agg(CASE WHEN l.held THEN coalesce(
           (SELECT h.version FROM head h WHERE h.type = l.type ORDER BY h.version DESC LIMIT 1), -1) END),
         (extract(epoch FROM clock_timestamp()) * 1000)::bigint,
         (SELECT a.terms FROM account a ORDER BY a.terms DESC LIMIT 1)
    INTO heads, o_at, newest_terms FROM unnest(p_types, held) l (type, held);
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
  IF charges > 0 THEN
    SELECT array_agg((t.tally ->> 'used')::numeric ORDER BY u.slot), array_agg((t.tally ->> 'limit')::numeric ORDER BY u.slot),
           array_agg(false)
      INTO used, limits, changed
      FROM unnest(p_of_namespace, p_of_account, p_of_amount) WITH ORDINALITY u (namespace, account, amount, slot)
      LEFT JOIN LATERAL (
        SELECT x.tally -> 'of' -> u.amount AS tally FROM tally x
         WHERE x.namespace = u.namespace COLLATE "C" AND x.name = u.account COLLATE "C"
         ORDER BY x.version DESC LIMIT 1) t ON true;
  END IF;

  -- What can be computed is computed here: in the statements below each operator would be looked up anew for each item.
  FOR v_item, v_type, v_lane, v_action, v_namespace, v_name, v_uid, v_version, v_stored_version, v_defaults,
      v_body, v_owners, v_set, v_known, v_tally, v_done, v_terminating, v_sought IN
    SELECT u.item, p_types[u.lane], u.lane, u.action, u.namespace, u.name, u.uid, u.version, u.stored_version,
           coalesce(u.defaults, 0::smallint), u.body, u.owners, u.set, u.known, u.tally,
           CASE WHEN u.action < 5 THEN 3 ELSE 5 END::smallint, u.action = 4, u.action = 5 OR random() < 0.125
      FROM unnest(p_lane, p_action, p_namespace, p_name, p_uid, p_version, p_stored_version, p_defaults, p_body, p_owners, p_set, p_known,
                  p_tally)
           WITH ORDINALITY u (lane, action, namespace, name, uid, version, stored_version, defaults, body, owners, set, known, tally, item)
  LOOP
    IF pending AND v_set <> 0 AND accounts_lane = ANY (p_lane[v_item:v_item + abs(v_set) - 1]) THEN
      -- An account is written as it is with all that was charged before.
      FOR o_version, o_previous, o_uid, o_namespace, o_name, o_stored_version, o_defaults, o_body, o_owners IN
        SELECT * FROM write_tallies(p_accounts, heads[accounts_lane], o_at, p_of_namespace, p_of_account, p_of_amount, used, changed)
      LOOP
        o_outcome := 1;
        heads[accounts_lane] := o_version;
        RETURN NEXT;
      END LOOP;
      pending := false;
      changed := array_fill(false, ARRAY[cardinality(changed)]);
      SELECT NULL, NULL, NULL, NULL, NULL, NULL INTO o_namespace, o_name, o_stored_version, o_defaults, o_body, o_owners;
    END IF;
    o_note := NULL;
    o_previous := heads[v_lane];
    IF v_set <> 1 THEN
      IF v_set <> 0 THEN
        v_size := abs(v_set);
        SELECT d.item, d.refusal, d.found INTO culprit, refusal, refused_version
          FROM (SELECT v_item + u.item - 1 AS item, o.version AS found,
                       CASE WHEN heads[u.lane] IS NULL OR charges > 0 AND heads[accounts_lane] IS NULL THEN 0
                            WHEN u.known >= 0 AND u.known < newest_terms AND EXISTS (
                              SELECT FROM account a WHERE a.namespace = u.namespace COLLATE "C" AND a.terms > u.known) THEN 8
                            WHEN u.version < 0 THEN NULL
                            WHEN u.action <= 2 AND o.version IS NOT NULL THEN 2
                            WHEN u.action = 2 AND n.terminating IS NULL THEN 5
                            WHEN u.action = 2 AND n.terminating THEN 6
                            WHEN u.action >= 3 AND o.version IS NULL THEN 4
                            WHEN u.action >= 3 AND o.version <> u.version THEN 3 END AS refusal
                  FROM unnest(p_lane[v_item:v_item + v_size - 1], p_action[v_item:v_item + v_size - 1],
                              p_namespace[v_item:v_item + v_size - 1], p_name[v_item:v_item + v_size - 1],
                              p_version[v_item:v_item + v_size - 1], p_known[v_item:v_item + v_size - 1])
                       WITH ORDINALITY u (lane, action, namespace, name, version, known, item)
                  LEFT JOIN LATERAL (
                    SELECT x.version FROM object x
                     WHERE u.version >= 0 AND x.type = p_types[u.lane] AND x.namespace = u.namespace COLLATE "C"
                       AND x.name = u.name COLLATE "C" ORDER BY x.era DESC LIMIT 1) o ON true
                  LEFT JOIN LATERAL (
                    SELECT x.terminating FROM object x
                     WHERE u.action = 2 AND x.type = p_namespaces AND x.namespace = '' AND x.name = u.namespace COLLATE "C"
                    OFFSET 0) n ON true) d
         WHERE d.refusal IS NOT NULL ORDER BY d.refusal <> 0, d.item LIMIT 1;
        WHILE charge <= charges AND p_charged_item[charge] < v_item LOOP
          charge := charge + 1;
        END LOOP;
        IF culprit IS NULL AND p_charged_item[charge] < v_item + v_size THEN
          used_before := used;
          changed_before := changed;
          exceeded := '{}';
          WHILE charge <= charges AND p_charged_item[charge] < v_item + v_size LOOP
            slot := p_charged_of[charge];
            IF limits[slot] IS NULL THEN
              NULL;
            ELSIF p_charged_limited[charge] = 1 AND p_charged_by[charge] > 0 AND (used[slot] IS NULL OR used[slot] + p_charged_by[charge] > limits[slot]) THEN
              exceeded := exceeded || format('[%s,%s,%s]', slot, coalesce(used[slot]::text, 'null'), limits[slot]);
              culprit := coalesce(culprit, p_charged_item[charge]);
            ELSIF p_charged_by[charge] <> 0 THEN
              used[slot] := used[slot] + p_charged_by[charge];
              changed[slot] := true;
            END IF;
            charge := charge + 1;
          END LOOP;
          IF culprit IS NOT NULL THEN
            refusal := 9;
            refused_version := NULL;
            used := used_before;
            changed := changed_before;
          ELSE
            pending := pending OR true = ANY (changed);
          END IF;
        END IF;
      END IF;
      IF culprit IS NOT NULL THEN
        SELECT CASE WHEN refusal = 0 OR v_item = culprit THEN refusal ELSE 7 END, refused_version, NULL, NULL
          INTO o_outcome, o_version, o_previous, o_uid;
        IF o_outcome = 9 THEN
          o_note := format('[%s]', array_to_string(exceeded, ','));
        END IF;
        RETURN NEXT;
        CONTINUE;
      END IF;
    ELSIF o_previous IS NULL THEN
      SELECT 0, NULL, NULL, NULL INTO o_outcome, o_version, o_previous, o_uid;
      RETURN NEXT;
      CONTINUE;
    ELSIF v_known >= 0 AND v_known < newest_terms THEN
      IF EXISTS (SELECT FROM account a WHERE a.namespace = v_namespace AND a.terms > v_known) THEN
        SELECT 8, NULL, NULL, NULL INTO o_outcome, o_version, o_previous, o_uid;
        RETURN NEXT;
        CONTINUE;
      END IF;
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
    IF v_type = p_accounts AND o_outcome = 1 THEN
      DELETE FROM tally t WHERE t.namespace = v_namespace AND t.name = v_name;
      IF v_tally IS NOT NULL AND v_action < 5 THEN
        INSERT INTO tally (namespace, name, version, tally) VALUES (v_namespace, v_name, o_version, v_tally - 'same');
      END IF;
      IF v_action = 5 THEN
        DELETE FROM account a WHERE a.namespace = v_namespace AND a.name = v_name;
      ELSIF v_tally -> 'same' IS DISTINCT FROM 'true' THEN
        INSERT INTO account (namespace, name, terms) VALUES (v_namespace, v_name, o_version)
          ON CONFLICT (namespace, name) DO UPDATE SET terms = EXCLUDED.terms;
        newest_terms := o_version;
      END IF;
      IF charges > 0 THEN
        -- What comes after it is charged to it as it is now.
        SELECT array_agg(CASE WHEN u.own THEN (v_tally -> 'of' -> u.amount ->> 'used')::numeric ELSE u.used END ORDER BY u.slot),
               array_agg(CASE WHEN u.own THEN (v_tally -> 'of' -> u.amount ->> 'limit')::numeric ELSE u.limits END ORDER BY u.slot),
               array_agg(CASE WHEN u.own THEN false ELSE u.changed END ORDER BY u.slot)
          INTO used, limits, changed
          FROM (SELECT x.namespace = v_namespace AND x.account = v_name AS own, x.* FROM
                  unnest(p_of_namespace, p_of_account, p_of_amount, used, limits, changed)
                  WITH ORDINALITY x (namespace, account, amount, used, limits, changed, slot)) u;
        pending := true = ANY (changed);
      END IF;
    END IF;
    RETURN NEXT;
  END LOOP;
  IF pending THEN
    o_note := NULL;
    FOR o_version, o_previous, o_uid, o_namespace, o_name, o_stored_version, o_defaults, o_body, o_owners IN
      SELECT * FROM write_tallies(p_accounts, heads[accounts_lane], o_at, p_of_namespace, p_of_account, p_of_amount, used, changed)
    LOOP
      o_outcome := 1;
      heads[accounts_lane] := o_version;
      RETURN NEXT;
    END LOOP;
  END IF;
  INSERT INTO head (type, version)
    SELECT h.type, h.now FROM unnest(p_types, found_heads, heads) h (type, before, now) WHERE h.now <> h.before;
END $$;

-- What servers of the release before call: their writes are charged to nobody, so what accounts have is to be counted again.
CREATE OR REPLACE FUNCTION commit_writes(
  p_patience integer, p_types integer[], p_gates bigint[], p_namespaces integer,
  p_lane smallint[], p_action smallint[], p_namespace text[], p_name text[], p_uid text[], p_version bigint[],
  p_stored_version text[], p_defaults smallint[], p_body bytea[], p_owners bytea[], p_set smallint[])
RETURNS TABLE (o_outcome smallint, o_version bigint, o_previous bigint, o_uid text, o_at bigint)
LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN QUERY
    SELECT u.o_outcome, u.o_version, u.o_previous, u.o_uid, u.o_at
      FROM commit_charged(p_patience, p_types, p_gates, p_namespaces, p_lane, p_action, p_namespace, p_name, p_uid, p_version,
                          p_stored_version, p_defaults, p_body, p_owners, p_set,
                          (SELECT l.id FROM lane l WHERE l.api_group = '' AND l.resource = 'resourcequotas'),
                          '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}') u;
  INSERT INTO uncharged (namespace) SELECT DISTINCT a.namespace FROM account a WHERE a.namespace = ANY (p_namespace);
END $$;
