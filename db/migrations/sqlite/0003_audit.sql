alter table tokens add column last_used_at integer;
--> statement-breakpoint
-- what `svc token rotate` replaced, and until when it still holds
alter table tokens add column previous_hash text;
--> statement-breakpoint
alter table tokens add column previous_until integer;
--> statement-breakpoint
create unique index tokens_previous on tokens (previous_hash) where previous_hash is not null;
--> statement-breakpoint
-- one row for each request that wrote; `slot` names what refusals of one minute and client are counted in
create table audit (
  id integer primary key,
  at integer not null,
  who text,
  via text not null,
  what text not null,
  project text,
  target text,
  status integer not null,
  address text,
  request text,
  count integer not null default 1,
  slot text
) strict;
--> statement-breakpoint
create unique index audit_slot on audit (slot) where slot is not null;
