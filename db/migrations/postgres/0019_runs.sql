alter table events add column run_id text;
--> statement-breakpoint
alter table assets add column run_id text;
--> statement-breakpoint
alter table decisions add column run_id text;
--> statement-breakpoint
create index events_run_id on events (run_id, ts, project) where run_id is not null;
--> statement-breakpoint
create index assets_run_id on assets (run_id) where run_id is not null;
--> statement-breakpoint
create index decisions_run_id on decisions (run_id) where run_id is not null;
--> statement-breakpoint
-- last_event_at is the ts of an event, so no two runs share one; rule_key: actor and task of a run without a run_id
create table runs (
  id text not null,
  project text not null,
  issue bigint,
  pr bigint,
  actor text not null,
  models text not null,
  lane text,
  status text not null,
  started_at bigint not null,
  ended_at bigint,
  last_event_at bigint not null,
  duration_ms bigint,
  steps bigint not null,
  tokens_in bigint not null,
  tokens_out bigint not null,
  cache_read bigint not null,
  cache_write bigint not null,
  cost_equiv double precision not null,
  summary text not null,
  parent text,
  assets bigint not null,
  decisions bigint not null,
  rule_key text,
  marks text not null,
  primary key (id, project)
);
--> statement-breakpoint
create index runs_recent on runs (last_event_at);
--> statement-breakpoint
create index runs_project on runs (project, last_event_at);
--> statement-breakpoint
create index runs_status on runs (status, last_event_at);
--> statement-breakpoint
create index runs_actor on runs (actor, last_event_at);
--> statement-breakpoint
create index runs_issue on runs (issue, last_event_at) where issue is not null;
--> statement-breakpoint
create index runs_pr on runs (pr, last_event_at) where pr is not null;
--> statement-breakpoint
create index runs_parent on runs (parent, last_event_at) where parent is not null;
--> statement-breakpoint
create index runs_rule on runs (project, rule_key, started_at) where rule_key is not null;
--> statement-breakpoint
-- what runs were told; text is deleted after 90 days
create table briefs (
  id bigint generated always as identity primary key,
  project text not null,
  run_id text not null,
  at bigint not null,
  hash text not null,
  chars bigint not null,
  text text
);
--> statement-breakpoint
create unique index briefs_run on briefs (run_id, project, hash);
--> statement-breakpoint
create index briefs_of_run on briefs (run_id, project, id);
--> statement-breakpoint
create index briefs_text on briefs (at) where text is not null;
--> statement-breakpoint
create table brief_decisions (
  decision bigint not null,
  brief bigint not null,
  primary key (decision, brief)
);
--> statement-breakpoint
create index brief_decisions_brief on brief_decisions (brief);
--> statement-breakpoint
-- what runs searched memory for, and how many hits they got; deleted after 90 days
create table recalls (
  id bigint generated always as identity primary key,
  project text not null,
  run_id text not null,
  at bigint not null,
  query text not null,
  hits bigint not null
);
--> statement-breakpoint
create index recalls_run on recalls (run_id, project, id);
--> statement-breakpoint
create index recalls_at on recalls (at);
