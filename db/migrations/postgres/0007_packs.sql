-- events of long ago, many to a row: compressed, in the order of their time, and no two packs share a stretch of it
create table packs (
  first bigint not null primary key,
  last bigint not null unique,
  first_id bigint not null,
  last_id bigint not null,
  count bigint not null,
  wires bytea not null,
  kept bytea not null
);
--> statement-breakpoint
-- they are compressed already
alter table packs alter column wires set storage external, alter column kept set storage external;
--> statement-breakpoint
create index packs_ids on packs (last_id, first_id);
--> statement-breakpoint
-- hashes of their keys and deliveries: the same ones again still add nothing
create table packed_keys (
  hash text not null primary key
);
--> statement-breakpoint
-- what they sum up to; '' where an event names no project, lane or model
create table packed_sums (
  project text not null,
  day text not null,
  lane text not null,
  model text not null,
  kind text not null,
  events bigint not null,
  tokens_in bigint not null default 0,
  tokens_out bigint not null default 0,
  cache_read bigint not null default 0,
  cache_write bigint not null default 0,
  cost_equiv double precision not null default 0,
  primary key (project, day, lane, model, kind)
);
