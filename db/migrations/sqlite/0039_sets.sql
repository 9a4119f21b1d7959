-- the variant set of an asset, by its name within the project
alter table assets add column "set" text;
--> statement-breakpoint
create index assets_set on assets ("set", waiting, created_at, id) where "set" is not null;
