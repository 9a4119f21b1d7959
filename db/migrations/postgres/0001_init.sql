create table events (
  ts bigint primary key,
  id bigint not null unique,
  kind text not null,
  actor text not null,
  summary text not null,
  project text,
  repo text,
  issue bigint,
  pr bigint,
  lane text,
  model text,
  subscription text,
  tokens_in bigint not null default 0,
  tokens_out bigint not null default 0,
  cache_read bigint not null default 0,
  cache_write bigint not null default 0,
  cost_equiv double precision not null default 0,
  duration_ms bigint,
  url text,
  dedupe_key text unique,
  delivery_id text unique,
  wire text not null,
  payload text
);
--> statement-breakpoint
create table feed_head (
  one bigint primary key,
  id bigint not null,
  ts bigint not null
);
--> statement-breakpoint
create table issues (
  project text not null,
  number bigint not null,
  ts bigint not null,
  open boolean not null,
  primary key (project, number)
);
--> statement-breakpoint
create table usage (
  project text not null,
  day text not null,
  lane text collate "C" not null,
  model text collate "C" not null,
  runs bigint not null,
  failures bigint not null,
  merges bigint not null,
  tokens_in bigint not null default 0,
  tokens_out bigint not null default 0,
  cache_read bigint not null default 0,
  cache_write bigint not null default 0,
  cost_equiv double precision not null default 0,
  primary key (project, day, lane, model)
);
--> statement-breakpoint
create table projects (
  slug text collate "C" primary key,
  repo text not null,
  stack text,
  summary text,
  check_cmd text,
  lanes jsonb not null,
  linked_at bigint not null,
  last_activity bigint,
  open_issues bigint not null default 0,
  decisions_count bigint not null default 0,
  events_count bigint not null default 0,
  digested_count bigint not null default 0
);
--> statement-breakpoint
create table decisions (
  id bigint generated always as identity primary key,
  project text not null,
  text text not null,
  source text not null,
  source_ref text,
  actor text not null,
  valid_from bigint not null,
  valid_until bigint,
  supersedes bigint
);
--> statement-breakpoint
create table preferences (
  id bigint generated always as identity primary key,
  project text,
  key text collate "C" not null,
  value text not null,
  source text not null,
  source_ref text,
  actor text not null,
  valid_from bigint not null,
  valid_until bigint,
  supersedes bigint
);
--> statement-breakpoint
create table models (
  id text collate "C" primary key,
  provider text not null,
  lanes jsonb not null,
  onboarded_at bigint,
  refreshed_at bigint,
  guidance_count bigint not null default 0,
  skill_count bigint not null default 0
);
--> statement-breakpoint
create table tokens (
  name text collate "C" primary key,
  hash text not null unique,
  scopes jsonb not null,
  projects jsonb,
  created_at bigint not null,
  expires_at bigint,
  revoked_at bigint
);
--> statement-breakpoint
create table assets (
  id text collate "C" primary key,
  project text not null,
  issue bigint,
  pr bigint,
  title text not null,
  description text,
  kind text not null,
  mime text not null,
  size bigint not null,
  sha256 text not null,
  width bigint,
  height bigint,
  duration_ms bigint,
  version bigint not null,
  root_id text not null,
  parent_id text unique,
  status text not null,
  waiting bigint not null,
  key text,
  has_thumb boolean not null,
  bundle_index text,
  created_by text not null,
  created_at bigint not null,
  reviewed_by text,
  reviewed_at bigint,
  review_note text,
  public_url text,
  expires_at bigint,
  tags jsonb not null,
  unique (root_id, version)
);
--> statement-breakpoint
create function notify_feed() returns trigger language plpgsql as $$ begin perform pg_notify('svc_feed', ''); return null; end $$;
--> statement-breakpoint
create trigger feed_grew after update of ts on feed_head for each row execute function notify_feed();
--> statement-breakpoint
insert into feed_head (one, id, ts) values (1, 0, 0);
--> statement-breakpoint
create index events_project on events (project, ts);
--> statement-breakpoint
create index events_kind on events (kind, ts);
--> statement-breakpoint
create index events_actor on events (actor, ts);
--> statement-breakpoint
create index events_lane on events (lane, ts);
--> statement-breakpoint
create unique index projects_repo on projects (lower(repo));
--> statement-breakpoint
create index projects_activity on projects (last_activity desc nulls last, slug);
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
  id text primary key,
  project text not null,
  key text not null,
  content_type text not null,
  size bigint,
  sha256 text,
  expires_at bigint not null
);
--> statement-breakpoint
create index uploads_expiring on uploads (expires_at);
--> statement-breakpoint
create table outbox (
  id bigint generated always as identity primary key,
  marker text not null unique,
  repo text not null,
  number bigint not null,
  body text not null,
  attempts bigint not null default 0,
  due_at bigint not null,
  created_at bigint not null
);
--> statement-breakpoint
create index outbox_due on outbox (due_at);
