-- how many tasks of a project are in each stage: to count the rows takes the longer the more there are
create table task_counts (
  project text not null,
  stage text not null,
  count integer not null,
  primary key (project, stage)
) strict, without rowid;
create trigger tasks_counted after insert on tasks begin
  insert into task_counts values (new.project, new.stage, 1)
    on conflict (project, stage) do update set count = task_counts.count + 1;
end;
create trigger tasks_recounted after update of stage on tasks when new.stage <> old.stage begin
  update task_counts set count = count - 1 where project = old.project and stage = old.stage;
  insert into task_counts values (new.project, new.stage, 1)
    on conflict (project, stage) do update set count = task_counts.count + 1;
end;
create trigger tasks_uncounted after delete on tasks begin
  update task_counts set count = count - 1 where project = old.project and stage = old.stage;
end;
insert into task_counts select project, stage, count(*) from tasks group by project, stage;
