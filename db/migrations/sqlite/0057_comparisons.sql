-- What changed in an asset against the version that was approved last.
create table comparisons (
  asset text not null primary key,
  project text not null,
  -- the approved asset; null if there is none
  base text,
  -- JSON text of what changed; null if it is not known
  change text,
  -- the mean colors of its thumbnail; only without an approved asset
  signature text,
  -- 1 until a background job has compared them
  waiting integer not null,
  created_at integer not null
);
create index comparisons_waiting on comparisons (created_at, asset) where waiting = 1;
insert into comparisons (asset, project, waiting, created_at)
  select id, project, 1, created_at from assets where waiting = 1;
-- Begins with the title: one that begins with the project would be taken for any condition on the project.
create index assets_title on assets (title, project);
