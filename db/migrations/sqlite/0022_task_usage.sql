-- usage by actor and task, a UTC day each: the issue or, without one, the pull request; 0 for neither. The table `usage`
-- has the same sums by lane and model
create table task_usage (
  project text not null,
  day text not null,
  actor text not null,
  issue integer not null,
  pr integer not null,
  runs integer not null,
  failures integer not null,
  merges integer not null,
  tokens_in integer not null default 0,
  tokens_out integer not null default 0,
  cache_read integer not null default 0,
  cache_write integer not null default 0,
  cost_equiv real not null default 0,
  primary key (project, day, actor, issue, pr)
) strict, without rowid;
--> statement-breakpoint
insert into task_usage (project, day, actor, issue, pr, runs, failures, merges, tokens_in, tokens_out, cache_read, cache_write, cost_equiv)
  select project, date((ts - ((ts % 86400000000) + 86400000000) % 86400000000) / 1000000, 'unixepoch'), actor, coalesce(issue, 0), case when issue is null then coalesce(pr, 0) else 0 end,
    cast(min(total(case when kind in ('run.finished', 'run.failed') then 1 else 0 end), 9007199254740991) as integer),
    cast(min(total(case when kind in ('run.failed') then 1 else 0 end), 9007199254740991) as integer),
    cast(min(total(case when kind in ('pr.merged') then 1 else 0 end), 9007199254740991) as integer),
    cast(min(total(tokens_in), 9007199254740991) as integer), cast(min(total(tokens_out), 9007199254740991) as integer),
    cast(min(total(cache_read), 9007199254740991) as integer), cast(min(total(cache_write), 9007199254740991) as integer), sum(cost_equiv)
  from events
  where project is not null and (kind in ('run.finished', 'run.failed', 'pr.merged')
    or tokens_in <> 0 or tokens_out <> 0 or cache_read <> 0 or cache_write <> 0 or cost_equiv <> 0)
  group by 1, 2, 3, 4, 5;
--> statement-breakpoint
-- the runs of a project and a day, sorted by cost
create index runs_cost on runs (project, (started_at / 86400000000), cost_equiv, last_event_at);
--> statement-breakpoint
-- when versions were rejected: each rejection is a decision that names its asset
create index decisions_rejections on decisions (project, valid_from, source_ref) where source = 'review';
