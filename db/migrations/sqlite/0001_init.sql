create table events (
  ts integer primary key,
  id integer not null unique,
  kind text not null,
  actor text not null,
  summary text not null,
  project text,
  repo text,
  issue integer,
  pr integer,
  lane text,
  model text,
  subscription text,
  tokens_in integer not null default 0,
  tokens_out integer not null default 0,
  cache_read integer not null default 0,
  cache_write integer not null default 0,
  cost_equiv real not null default 0,
  duration_ms integer,
  url text,
  dedupe_key text unique,
  delivery_id text unique,
  wire text not null,
  payload text
) strict;
--> statement-breakpoint
create table feed_head (
  one integer primary key,
  id integer not null,
  ts integer not null
) strict;
--> statement-breakpoint
create table issues (
  project text not null,
  number integer not null,
  ts integer not null,
  open integer not null,
  primary key (project, number)
) strict;
--> statement-breakpoint
create table usage (
  project text not null,
  day text not null,
  lane text not null,
  model text not null,
  runs integer not null,
  failures integer not null,
  merges integer not null,
  tokens_in integer not null default 0,
  tokens_out integer not null default 0,
  cache_read integer not null default 0,
  cache_write integer not null default 0,
  cost_equiv real not null default 0,
  primary key (project, day, lane, model)
) strict;
--> statement-breakpoint
create table projects (
  slug text not null primary key,
  repo text not null,
  stack text,
  summary text,
  check_cmd text,
  lanes text not null,
  linked_at integer not null,
  last_activity integer,
  open_issues integer not null default 0,
  decisions_count integer not null default 0,
  events_count integer not null default 0,
  digested_count integer not null default 0
) strict;
--> statement-breakpoint
create table decisions (
  id integer primary key autoincrement,
  project text not null,
  text text not null,
  source text not null,
  source_ref text,
  actor text not null,
  valid_from integer not null,
  valid_until integer,
  supersedes integer
) strict;
--> statement-breakpoint
create table preferences (
  id integer primary key autoincrement,
  project text,
  key text not null,
  value text not null,
  source text not null,
  source_ref text,
  actor text not null,
  valid_from integer not null,
  valid_until integer,
  supersedes integer
) strict;
--> statement-breakpoint
create table models (
  id text not null primary key,
  provider text not null,
  lanes text not null,
  onboarded_at integer,
  refreshed_at integer,
  guidance_count integer not null default 0,
  skill_count integer not null default 0
) strict;
--> statement-breakpoint
create table tokens (
  name text not null primary key,
  hash text not null unique,
  scopes text not null,
  projects text,
  created_at integer not null,
  expires_at integer,
  revoked_at integer
) strict;
--> statement-breakpoint
create table assets (
  id text not null primary key,
  project text not null,
  issue integer,
  pr integer,
  title text not null,
  description text,
  kind text not null,
  mime text not null,
  size integer not null,
  sha256 text not null,
  width integer,
  height integer,
  duration_ms integer,
  version integer not null,
  root_id text not null,
  parent_id text unique,
  status text not null,
  waiting integer not null,
  key text,
  has_thumb integer not null,
  bundle_index text,
  created_by text not null,
  created_at integer not null,
  reviewed_by text,
  reviewed_at integer,
  review_note text,
  public_url text,
  expires_at integer,
  tags text not null,
  unique (root_id, version)
) strict;
--> statement-breakpoint
insert into feed_head (one, id, ts) values (1, 0, 0);
--> statement-breakpoint
-- ts is the row id, so it is the last part of every index below
create index events_project on events (project);
--> statement-breakpoint
create index events_kind on events (kind);
--> statement-breakpoint
create index events_actor on events (actor);
--> statement-breakpoint
create index events_lane on events (lane);
--> statement-breakpoint
create unique index projects_repo on projects (lower(repo));
--> statement-breakpoint
create index projects_activity on projects (last_activity desc, slug);
--> statement-breakpoint
create index decisions_current on decisions (project, valid_from) where valid_until is null;
--> statement-breakpoint
create unique index preferences_current on preferences (coalesce(project, ''), key) where valid_until is null;
--> statement-breakpoint
create index assets_queue on assets (waiting, created_at, id);
--> statement-breakpoint
create index assets_project on assets (project, waiting, created_at, id);
--> statement-breakpoint
create index assets_kind on assets (kind, waiting, created_at, id);
--> statement-breakpoint
create index assets_status on assets (status, waiting, created_at, id);
--> statement-breakpoint
create index assets_issue on assets (issue, waiting, created_at, id) where issue is not null;
--> statement-breakpoint
create index assets_pr on assets (pr, waiting, created_at, id) where pr is not null;
--> statement-breakpoint
create index assets_sha256 on assets (sha256);
--> statement-breakpoint
create index assets_expiring on assets (expires_at) where expires_at is not null and key is not null;
--> statement-breakpoint
create table uploads (
  id text not null primary key,
  project text not null,
  key text not null,
  content_type text not null,
  size integer,
  sha256 text,
  expires_at integer not null
) strict;
--> statement-breakpoint
create index uploads_expiring on uploads (expires_at);
--> statement-breakpoint
create table outbox (
  id integer primary key autoincrement,
  marker text not null unique,
  repo text not null,
  number integer not null,
  body text not null,
  attempts integer not null default 0,
  due_at integer not null,
  created_at integer not null
) strict;
--> statement-breakpoint
create index outbox_due on outbox (due_at);
