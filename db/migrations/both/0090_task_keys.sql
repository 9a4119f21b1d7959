-- keys of tasks that another tracker has, such as PROJ-123, and the pattern of their URLs
alter table assets add column task text;
alter table projects add column task_url text
