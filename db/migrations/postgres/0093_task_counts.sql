-- how many tasks of a project are in each stage: to count the rows takes the longer the more there are
create table task_counts (
  project text not null,
  stage text not null,
  count bigint not null,
  primary key (project, stage)
);
create function add_task_counts() returns trigger language plpgsql as $$
begin
  insert into task_counts select project, stage, count(*) from changed group by project, stage
    on conflict (project, stage) do update set count = task_counts.count + excluded.count;
  return null;
end $$;
create function take_task_counts() returns trigger language plpgsql as $$
begin
  update task_counts as c set count = c.count - taken.count
    from (select project, stage, count(*) as count from changed group by project, stage) as taken
    where c.project = taken.project and c.stage = taken.stage;
  return null;
end $$;
create trigger tasks_counted after insert on tasks
  referencing new table as changed for each statement execute function add_task_counts();
create trigger tasks_recounted_from after update on tasks
  referencing old table as changed for each statement execute function take_task_counts();
create trigger tasks_recounted_to after update on tasks
  referencing new table as changed for each statement execute function add_task_counts();
create trigger tasks_uncounted after delete on tasks
  referencing old table as changed for each statement execute function take_task_counts();
insert into task_counts select project, stage, count(*) from tasks group by project, stage;
