-- the id of a project's repository at GitHub, once a webhook has named it: it stays the same when the repository is renamed
alter table projects add column repo_id bigint;
--> statement-breakpoint
create unique index projects_repo_id on projects (repo_id) where repo_id is not null;
