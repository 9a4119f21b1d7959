-- the id of a project's repository at GitHub, once a webhook has named it: it stays the same when the repository is renamed
alter table projects add column repo_id bigint;
--> statement-breakpoint
create unique index projects_repo_id on projects (repo_id) where repo_id is not null;
--> statement-breakpoint
-- keys are unique within a scope from now on; the hashes of keys in packs are made again when the database is opened (db/packed-keys.ts)
insert into settings (name, value) select 'packed_keys', 'without scopes' where exists (select 1 from packs);
