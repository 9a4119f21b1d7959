-- reviewers' marks on versions of assets, and replies to them, which have the number of their thread;
-- rank sorts those that are not settled: 0 to 2 reopened, 3 to 5 others, by weight
create table annotations (
  id text not null primary key,
  project text not null,
  chain text not null,
  asset_id text not null,
  version integer not null,
  sha256 text not null,
  n integer not null,
  parent_id text,
  body text not null,
  weight text not null,
  rank integer not null,
  "by" text not null,
  reader text not null,
  origin text not null,
  created_at integer not null,
  state text not null,
  state_by text,
  state_at integer,
  addressed_in text,
  reopened integer not null default 0,
  honoured_version integer,
  urgent_at integer,
  target text
) strict;
--> statement-breakpoint
create index annotations_version on annotations (asset_id, n, id);
--> statement-breakpoint
create index annotations_chain on annotations (chain, n, id);
--> statement-breakpoint
create index annotations_unsettled on annotations (chain, rank, n)
  where parent_id is null and state in ('open', 'addressed');
--> statement-breakpoint
create index annotations_replies on annotations (parent_id, id) where parent_id is not null;
--> statement-breakpoint
create index annotations_urgent on annotations (project, urgent_at) where urgent_at is not null;
--> statement-breakpoint
-- the confirmed musts: how many versions each took
create index annotations_honoured on annotations (project, state_at)
  where state = 'honoured' and weight = 'must' and parent_id is null;
