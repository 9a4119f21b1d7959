-- tasks of several projects have the same number: without the project, Postgres combined the index with
-- that of all runs of the project
drop index runs_issue;
create index runs_issue on runs (issue, listed_at, project) where issue is not null
