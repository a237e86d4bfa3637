-- Types that lie in other databases, as the api-server that started last was told. Who looks into this database alone finds nothing of
-- them, and knows so by this.
CREATE TABLE placed (
  api_group text COLLATE "C" NOT NULL,
  resource text COLLATE "C" NOT NULL,
  PRIMARY KEY (api_group, resource)
);
