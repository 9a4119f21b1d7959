-- tasks, derived from their runs, assets, issues and pull requests: what lists of tasks sort and count by
create table tasks (
  project text not null,
  issue integer not null, -- 0 for a pull request that belongs to no issue
  pr integer not null, -- 0 for an issue
  stage text not null, -- as if none of its runs were open
  live_at integer, -- the newest event of its open runs; the highest number if one of them waits
  state text,
  listed_at integer not null,
  opened_at integer not null,
  runs integer not null,
  cost_equiv real not null,
  primary key (project, issue, pr)
) strict, without rowid;
create index tasks_listed on tasks (listed_at);
create index tasks_stage on tasks (stage, listed_at);
create index tasks_project on tasks (project, listed_at);
create index tasks_project_stage on tasks (project, stage, listed_at);
create index tasks_live on tasks (live_at) where live_at is not null;
create index tasks_cost on tasks (cost_equiv, listed_at);
create index tasks_runs on tasks (runs, listed_at);
create index tasks_opened on tasks (opened_at, listed_at);

-- tasks that changed since their row was derived; a pull request beside its issue marks both
create table stale_tasks (
  project text not null,
  issue integer not null,
  pr integer not null,
  primary key (project, issue, pr)
) strict, without rowid;

create trigger tasks_run_added after insert on runs when new.issue is not null or new.pr is not null begin
  insert into stale_tasks values (new.project, coalesce(new.issue, 0), coalesce(new.pr, 0)) on conflict do nothing;
end;
create trigger tasks_run_changed after update on runs when new.issue is not null or new.pr is not null begin
  insert into stale_tasks values (new.project, coalesce(new.issue, 0), coalesce(new.pr, 0)) on conflict do nothing;
end;
create trigger tasks_run_moved after update of issue, pr on runs
when (old.issue is not new.issue or old.pr is not new.pr) and (old.issue is not null or old.pr is not null) begin
  insert into stale_tasks values (old.project, coalesce(old.issue, 0), coalesce(old.pr, 0)) on conflict do nothing;
end;
create trigger tasks_run_deleted after delete on runs when old.issue is not null or old.pr is not null begin
  insert into stale_tasks values (old.project, coalesce(old.issue, 0), coalesce(old.pr, 0)) on conflict do nothing;
end;
create trigger tasks_asset_added after insert on assets when new.issue is not null or new.pr is not null begin
  insert into stale_tasks values (new.project, coalesce(new.issue, 0), coalesce(new.pr, 0)) on conflict do nothing;
end;
create trigger tasks_asset_changed after update of status, reviewed_at, issue, pr on assets begin
  insert into stale_tasks select new.project, coalesce(new.issue, 0), coalesce(new.pr, 0)
    where new.issue is not null or new.pr is not null on conflict do nothing;
  insert into stale_tasks select a.project, coalesce(a.issue, 0), coalesce(a.pr, 0) from assets as a
    where a."set" = new."set" and a.project = new.project and (a.issue is not null or a.pr is not null)
    on conflict do nothing;
end;
create trigger tasks_asset_moved after update of issue, pr on assets
when (old.issue is not new.issue or old.pr is not new.pr) and (old.issue is not null or old.pr is not null) begin
  insert into stale_tasks values (old.project, coalesce(old.issue, 0), coalesce(old.pr, 0)) on conflict do nothing;
end;
create trigger tasks_asset_deleted after delete on assets when old.issue is not null or old.pr is not null begin
  insert into stale_tasks values (old.project, coalesce(old.issue, 0), coalesce(old.pr, 0)) on conflict do nothing;
end;
create trigger tasks_issue_added after insert on issues begin
  insert into stale_tasks values (new.project, new.number, 0) on conflict do nothing;
end;
create trigger tasks_issue_changed after update on issues begin
  insert into stale_tasks values (new.project, new.number, 0) on conflict do nothing;
end;
create trigger tasks_issue_deleted after delete on issues begin
  insert into stale_tasks values (old.project, old.number, 0) on conflict do nothing;
end;
create trigger tasks_pull_added after insert on pull_request_issues begin
  insert into stale_tasks values (new.project, new.issue, new.pr) on conflict do nothing;
end;
create trigger tasks_pull_changed after update on pull_request_issues begin
  insert into stale_tasks values (new.project, new.issue, new.pr) on conflict do nothing;
  insert into stale_tasks values (old.project, old.issue, old.pr) on conflict do nothing;
end;
create trigger tasks_pull_deleted after delete on pull_request_issues begin
  insert into stale_tasks values (old.project, old.issue, old.pr) on conflict do nothing;
end;
create trigger tasks_event_added after insert on events
when new.kind in ('pr.opened', 'pr.closed', 'pr.merged') and new.pr is not null and new.project is not null begin
  insert into stale_tasks values (new.project, coalesce(new.issue, 0), new.pr) on conflict do nothing;
end;
create trigger tasks_event_deleted after delete on events
when old.kind in ('pr.opened', 'pr.closed', 'pr.merged') and old.pr is not null and old.project is not null begin
  insert into stale_tasks values (old.project, coalesce(old.issue, 0), old.pr) on conflict do nothing;
end;

insert into stale_tasks
select project, coalesce(issue, 0), coalesce(pr, 0) from runs where issue is not null or pr is not null
union select project, coalesce(issue, 0), coalesce(pr, 0) from assets where issue is not null or pr is not null
union select project, number, 0 from issues
union select project, issue, pr from pull_request_issues
union select project, coalesce(issue, 0), pr from events
  where kind in ('pr.opened', 'pr.closed', 'pr.merged') and pr is not null and project is not null;
