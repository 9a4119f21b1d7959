-- `token`: the name of the token that a link signs in with; null: as an admin. `created_with`: the hash of the token
-- that created it, with which it ends
alter table sign_in_links add column token text;
--> statement-breakpoint
alter table sign_in_links add column created_with text;
--> statement-breakpoint
alter table sessions add column from_link boolean not null default false;
--> statement-breakpoint
update sessions set from_link = true where token is null;
