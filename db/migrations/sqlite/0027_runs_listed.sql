-- listed_at is the position in lists, that of the newest event to the minute: most steps of a run change no index.
-- It is the newest start or end in the minute of the newest event or, without one, the first event of that minute
alter table runs add column listed_at integer not null default 0
--> statement-breakpoint
drop index runs_recent
--> statement-breakpoint
drop index runs_project
--> statement-breakpoint
drop index runs_status
--> statement-breakpoint
drop index runs_actor
--> statement-breakpoint
drop index runs_issue
--> statement-breakpoint
drop index runs_pr
--> statement-breakpoint
drop index runs_parent
--> statement-breakpoint
drop index runs_cost
--> statement-breakpoint
update runs set listed_at = coalesce(
  (select max(e.ts) from events as e where e.run_id = runs.id and e.project = runs.project
    and e.ts between last_event_at - ((last_event_at % 60000000) + 60000000) % 60000000 and last_event_at and e.kind in ('run.started', 'run.finished', 'run.failed')),
  (select min(e.ts) from events as e where e.run_id = runs.id and e.project = runs.project
    and e.ts between last_event_at - ((last_event_at % 60000000) + 60000000) % 60000000 and last_event_at),
  last_event_at)
where rule_key is null
--> statement-breakpoint
update runs set listed_at = coalesce(
  (select max(e.ts) from events as e where e.actor = runs.actor and e.project = runs.project and e.run_id is null
    and coalesce(e.issue, -1) = coalesce(runs.issue, -1)
    and (runs.issue is not null or coalesce(e.pr, -1) = coalesce(runs.pr, -1))
    and e.ts >= started_at and e.ts between last_event_at - ((last_event_at % 60000000) + 60000000) % 60000000 and last_event_at and e.kind in ('run.started', 'run.finished', 'run.failed')),
  (select min(e.ts) from events as e where e.actor = runs.actor and e.project = runs.project and e.run_id is null
    and coalesce(e.issue, -1) = coalesce(runs.issue, -1)
    and (runs.issue is not null or coalesce(e.pr, -1) = coalesce(runs.pr, -1))
    and e.ts >= started_at and e.ts between last_event_at - ((last_event_at % 60000000) + 60000000) % 60000000 and last_event_at),
  last_event_at)
where rule_key is not null
--> statement-breakpoint
update runs set marks = json_set(marks, '$.listed', json('true'))
where exists (select 1 from events as e where e.ts = runs.listed_at and e.kind in ('run.started', 'run.finished', 'run.failed'))
--> statement-breakpoint
create index runs_recent on runs (listed_at)
--> statement-breakpoint
create index runs_project on runs (project, listed_at)
--> statement-breakpoint
create index runs_status on runs (status, listed_at)
--> statement-breakpoint
create index runs_actor on runs (actor, listed_at)
--> statement-breakpoint
create index runs_issue on runs (issue, listed_at) where issue is not null
--> statement-breakpoint
create index runs_pr on runs (pr, listed_at) where pr is not null
--> statement-breakpoint
create index runs_parent on runs (parent, listed_at) where parent is not null
--> statement-breakpoint
create index runs_cost on runs (project, (started_at / 86400000000), cost_equiv, listed_at)
