-- tasks, derived from their runs, assets, issues and pull requests: what lists of tasks sort and count by
create table tasks (
  project text not null,
  issue bigint not null, -- 0 for a pull request that belongs to no issue
  pr bigint not null, -- 0 for an issue
  stage text not null, -- as if none of its runs were open
  live_at bigint, -- the newest event of its open runs; the highest number if one of them waits
  state text,
  listed_at bigint not null,
  opened_at bigint not null,
  runs bigint not null,
  cost_equiv double precision not null,
  primary key (project, issue, pr)
);
create index tasks_listed on tasks (listed_at, project, issue, pr);
create index tasks_stage on tasks (stage, listed_at, project, issue, pr);
create index tasks_project on tasks (project, listed_at, issue, pr);
create index tasks_project_stage on tasks (project, stage, listed_at, issue, pr);
create index tasks_live on tasks (live_at) where live_at is not null;
create index tasks_cost on tasks (cost_equiv, listed_at);
create index tasks_runs on tasks (runs, listed_at);
create index tasks_opened on tasks (opened_at, listed_at);

-- tasks that changed since their row was derived; a pull request beside its issue marks both
create table stale_tasks (
  project text not null,
  issue bigint not null,
  pr bigint not null,
  primary key (project, issue, pr)
);

create function mark_tasks() returns trigger language plpgsql as $$
begin
  insert into stale_tasks select distinct project, coalesce(issue, 0), coalesce(pr, 0) from changed
    where issue is not null or pr is not null on conflict do nothing;
  return null;
end $$;
create function mark_tasks_of_sets() returns trigger language plpgsql as $$
begin
  insert into stale_tasks select distinct a.project, coalesce(a.issue, 0), coalesce(a.pr, 0)
    from changed as c join assets as a on a."set" = c."set" and a.project = c.project
    where a.issue is not null or a.pr is not null on conflict do nothing;
  return null;
end $$;
create function mark_task_before() returns trigger language plpgsql as $$
begin
  insert into stale_tasks select old.project, coalesce(old.issue, 0), coalesce(old.pr, 0)
    where old.issue is not null or old.pr is not null on conflict do nothing;
  return null;
end $$;
create function mark_issues() returns trigger language plpgsql as $$
begin
  insert into stale_tasks select project, number, 0 from changed on conflict do nothing;
  return null;
end $$;
create function mark_pull_request() returns trigger language plpgsql as $$
declare
  event events := case tg_op when 'DELETE' then old else new end;
begin
  insert into stale_tasks values (event.project, coalesce(event.issue, 0), event.pr) on conflict do nothing;
  return null;
end $$;

create trigger tasks_run_added after insert on runs
  referencing new table as changed for each statement execute function mark_tasks();
create trigger tasks_run_changed after update on runs
  referencing new table as changed for each statement execute function mark_tasks();
create trigger tasks_run_moved after update on runs for each row
  when (old.issue is distinct from new.issue or old.pr is distinct from new.pr)
  execute function mark_task_before();
create trigger tasks_run_deleted after delete on runs
  referencing old table as changed for each statement execute function mark_tasks();
create trigger tasks_asset_added after insert on assets
  referencing new table as changed for each statement execute function mark_tasks();
create trigger tasks_asset_changed after update on assets
  referencing new table as changed for each statement execute function mark_tasks();
create trigger tasks_set_changed after update on assets
  referencing new table as changed for each statement execute function mark_tasks_of_sets();
create trigger tasks_asset_moved after update on assets for each row
  when (old.issue is distinct from new.issue or old.pr is distinct from new.pr)
  execute function mark_task_before();
create trigger tasks_asset_deleted after delete on assets
  referencing old table as changed for each statement execute function mark_tasks();
create trigger tasks_issue_added after insert on issues
  referencing new table as changed for each statement execute function mark_issues();
create trigger tasks_issue_changed after update on issues
  referencing new table as changed for each statement execute function mark_issues();
create trigger tasks_issue_deleted after delete on issues
  referencing old table as changed for each statement execute function mark_issues();
create trigger tasks_pull_added after insert on pull_request_issues
  referencing new table as changed for each statement execute function mark_tasks();
create trigger tasks_pull_changed after update on pull_request_issues
  referencing new table as changed for each statement execute function mark_tasks();
create trigger tasks_pull_moved after update on pull_request_issues
  referencing old table as changed for each statement execute function mark_tasks();
create trigger tasks_pull_deleted after delete on pull_request_issues
  referencing old table as changed for each statement execute function mark_tasks();
create trigger tasks_event_added after insert on events for each row
  when (new.kind in ('pr.opened', 'pr.closed', 'pr.merged') and new.pr is not null and new.project is not null)
  execute function mark_pull_request();
create trigger tasks_event_deleted after delete on events for each row
  when (old.kind in ('pr.opened', 'pr.closed', 'pr.merged') and old.pr is not null and old.project is not null)
  execute function mark_pull_request();

insert into stale_tasks
select project, coalesce(issue, 0), coalesce(pr, 0) from runs where issue is not null or pr is not null
union select project, coalesce(issue, 0), coalesce(pr, 0) from assets where issue is not null or pr is not null
union select project, number, 0 from issues
union select project, issue, pr from pull_request_issues
union select project, coalesce(issue, 0), pr from events
  where kind in ('pr.opened', 'pr.closed', 'pr.merged') and pr is not null and project is not null;
