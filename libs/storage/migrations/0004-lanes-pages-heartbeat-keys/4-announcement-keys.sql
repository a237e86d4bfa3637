-- Keys that announcements of changes are authenticated with on their way between servers. Ids are never used again, so that a
-- record that was made with another key is never taken for one of this.
CREATE TABLE announcement_key (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  secret bytea NOT NULL,
  -- From when on servers sign with it, by the clock of the database. They accept it before, and for a while after the next one.
  signs_from timestamptz NOT NULL
);

-- Makes a key where there is none, or where the newest is older than p_rotation milliseconds (0 is never), and drops those
-- that the next one has replaced for p_overlap milliseconds. A further key signs only after p_overlap, when everybody has it.
CREATE FUNCTION renew_announcement_keys(p_rotation bigint, p_overlap bigint) RETURNS void
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  newest timestamptz;
  overlap interval := p_overlap * interval '1 millisecond';
BEGIN
  PERFORM 1 FROM installation FOR UPDATE;
  SELECT max(signs_from) INTO newest FROM announcement_key;
  IF newest IS NULL OR (p_rotation > 0 AND newest < clock_timestamp() - p_rotation * interval '1 millisecond') THEN
    -- Of the strong random numbers of the server; 244 random bits.
    INSERT INTO announcement_key (secret, signs_from)
      VALUES (sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())),
              clock_timestamp() + CASE WHEN newest IS NULL THEN interval '0' ELSE overlap END);
  END IF;
  DELETE FROM announcement_key k
    USING announcement_key next WHERE next.signs_from > k.signs_from AND next.signs_from < clock_timestamp() - overlap;
END $$;

-- What was announced in another epoch, or by what this database is a copy of, is nobody's word any more.
CREATE FUNCTION forget_announcement_keys() RETURNS trigger
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  DELETE FROM announcement_key;
  RETURN NULL;
END $$;
CREATE TRIGGER forget_announcement_keys AFTER UPDATE OF epoch ON installation
  FOR EACH ROW WHEN (OLD.epoch <> NEW.epoch) EXECUTE FUNCTION forget_announcement_keys();
CREATE TRIGGER forget_announcement_keys AFTER INSERT ON branch
  FOR EACH STATEMENT EXECUTE FUNCTION forget_announcement_keys();
