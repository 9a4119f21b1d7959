-- usage by actor and task, a UTC day each: the issue or, without one, the pull request; 0 for neither. The table `usage`
-- has the same sums by lane and model
create table task_usage (
  project text not null,
  day text collate "C" not null,
  actor text collate "C" not null,
  issue bigint not null,
  pr bigint not null,
  runs bigint not null,
  failures bigint not null,
  merges bigint not null,
  tokens_in bigint not null default 0,
  tokens_out bigint not null default 0,
  cache_read bigint not null default 0,
  cache_write bigint not null default 0,
  cost_equiv double precision not null default 0,
  primary key (project, day, actor, issue, pr)
);
--> statement-breakpoint
insert into task_usage (project, day, actor, issue, pr, runs, failures, merges, tokens_in, tokens_out, cache_read, cache_write, cost_equiv)
  select project, to_char(to_timestamp((ts - ((ts % 86400000000) + 86400000000) % 86400000000) / 1000000) at time zone 'UTC', 'YYYY-MM-DD'), actor, coalesce(issue, 0), case when issue is null then coalesce(pr, 0) else 0 end,
    least(sum(case when kind in ('run.finished', 'run.failed') then 1 else 0 end), 9007199254740991)::bigint,
    least(sum(case when kind in ('run.failed') then 1 else 0 end), 9007199254740991)::bigint,
    least(sum(case when kind in ('pr.merged') then 1 else 0 end), 9007199254740991)::bigint,
    least(sum(tokens_in), 9007199254740991)::bigint, least(sum(tokens_out), 9007199254740991)::bigint,
    least(sum(cache_read), 9007199254740991)::bigint, least(sum(cache_write), 9007199254740991)::bigint, sum(cost_equiv)
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
