-- where the repository of a project is: the forge and its host
alter table projects add column forge text not null default 'github';
--> statement-breakpoint
alter table projects add column host text not null default 'github.com';
--> statement-breakpoint
-- a repository name can exist on several forges
drop index projects_repo;
--> statement-breakpoint
create unique index projects_repo on projects (lower(repo), forge, host);
--> statement-breakpoint
drop index projects_repo_id;
--> statement-breakpoint
create unique index projects_repo_id on projects (repo_id, forge, host) where repo_id is not null;
--> statement-breakpoint
-- where a queued comment goes: the forge, its host, and whether the number is that of a pull request
alter table outbox add column forge text not null default 'github';
--> statement-breakpoint
alter table outbox add column host text not null default 'github.com';
--> statement-breakpoint
alter table outbox add column is_pull boolean not null default false;
