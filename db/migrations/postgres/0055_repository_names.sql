-- what deliveries told of the names of a linked repository: former ones, and renames that arrived too early
alter table projects add column repo_names jsonb;
