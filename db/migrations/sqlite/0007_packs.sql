-- events of long ago, many to a row: compressed, in the order of their time, and no two packs share a stretch of it
create table packs (
  first integer primary key,
  last integer not null unique,
  first_id integer not null,
  last_id integer not null,
  count integer not null,
  wires blob not null,
  kept blob not null
) strict;
--> statement-breakpoint
create index packs_ids on packs (last_id, first_id);
--> statement-breakpoint
-- hashes of their keys and deliveries: the same ones again still add nothing
create table packed_keys (
  hash text not null primary key
) strict, without rowid;
--> statement-breakpoint
-- what they sum up to; '' where an event names no project, lane or model
create table packed_sums (
  project text not null,
  day text not null,
  lane text not null,
  model text not null,
  kind text not null,
  events integer not null,
  tokens_in integer not null default 0,
  tokens_out integer not null default 0,
  cache_read integer not null default 0,
  cache_write integer not null default 0,
  cost_equiv real not null default 0,
  primary key (project, day, lane, model, kind)
) strict;
